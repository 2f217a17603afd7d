import { recovery } from '../experiment/plans.ts';
import { settingsOf } from './arguments.ts';
import { everywhere, type Experiment, runExperiment } from './experiment.ts';

const EXPERIMENT: Experiment<unknown> = {
  name: 'recovery',
  about: 'experiment 3: the world changes at half-time and an alert says so',
  /** Long enough for 20 probes behind half-time. */
  horizons: [60],
  environments: ['warehouse', 'repository'],
  choice: true,
  plan: (flags) =>
    everywhere(flags, (environment, horizon) => recovery(settingsOf(flags), environment, horizon)),
};

/** `skillstate bench recovery …`. */
export function recoveryCommand(args: readonly string[]): Promise<number> {
  return runExperiment(EXPERIMENT, args);
}
