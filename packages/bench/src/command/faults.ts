import { faults } from '../experiment/plans.ts';
import { isScripted, settingsOf } from './arguments.ts';
import { everywhere, type Experiment, runExperiment } from './experiment.ts';
import { list, share } from './numbers.ts';

type Own = { readonly rates: readonly number[] };

const EXPERIMENT: Experiment<Own> = {
  name: 'faults',
  about: 'spoiled replies of a scripted model at the paper’s mix: 68% overwrites, 20% types, 12% syntax',
  horizons: [50],
  environments: ['warehouse'],
  choice: true,
  options: (program) =>
    program.option('--rates <shares>', 'faults a call, with commas between', list(share), [0, 0.1, 0.2, 0.3]),
  plan(flags) {
    if (!isScripted(flags.model))
      throw new Error('faults are those of a scripted model: --model reference or http');
    return everywhere(flags, (environment, horizon) =>
      faults(settingsOf(flags), environment, horizon, flags.rates),
    );
  },
};

/** `skillstate bench faults …`. */
export function faultsCommand(args: readonly string[]): Promise<number> {
  return runExperiment(EXPERIMENT, args);
}
