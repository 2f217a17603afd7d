import { noise } from '../experiment/plans.ts';
import { settingsOf } from './arguments.ts';
import { everywhere, type Experiment, runExperiment } from './experiment.ts';
import { count, list } from './numbers.ts';

type Own = { readonly noise: readonly number[]; readonly overrides?: boolean };

const EXPERIMENT: Experiment<Own> = {
  name: 'noise',
  about: 'experiment 2: telemetry lines in every observation',
  horizons: [50],
  environments: ['warehouse', 'repository'],
  choice: true,
  options: (program) =>
    program
      .option('--noise <lines>', 'lines an observation, with commas between', list(count), [0, 5, 20, 50])
      .option('--overrides', 'every fifth line claims new rules'),
  plan: (flags) =>
    everywhere(flags, (environment, horizon) =>
      noise(settingsOf(flags), environment, horizon, flags.noise, flags.overrides ?? false),
    ),
};

/** `skillstate bench noise …`. */
export function noiseCommand(args: readonly string[]): Promise<number> {
  return runExperiment(EXPERIMENT, args);
}
