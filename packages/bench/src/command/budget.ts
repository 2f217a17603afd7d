import { BUDGET_MATCHED } from '../experiment/arms.ts';
import { budgets } from '../experiment/plans.ts';
import { settingsOf } from './arguments.ts';
import { type Experiment, runExperiment } from './experiment.ts';
import { list, whole } from './numbers.ts';

type Own = { readonly budgets?: readonly number[] };

const EXPERIMENT: Experiment<Own> = {
  name: 'budget',
  about: 'experiment 5: the arms that keep to a size, over a sweep of sizes, beside state',
  horizons: [100],
  environments: ['warehouse', 'warehouse-crowded'],
  arms: ['state', 'state-paper', 'prompt', ...BUDGET_MATCHED],
  choice: true,
  options: (program) =>
    program.option(
      '--budgets <sizes>',
      'of a prompt; by default 1,800, and half to four times the mean prompt of state',
      list(whole),
    ),
  async plan(flags, tokens) {
    const plans = flags.horizons.map((horizon) =>
      budgets(settingsOf(flags), flags.environments, horizon, flags.unit, flags.budgets ?? null, tokens),
    );
    return (await Promise.all(plans)).flat();
  },
};

/** `skillstate bench budget …`. */
export function budgetCommand(args: readonly string[]): Promise<number> {
  return runExperiment(EXPERIMENT, args);
}
