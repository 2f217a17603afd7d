import type { EnvironmentName } from '../env/create.ts';
import { scaling } from '../experiment/plans.ts';
import { settingsOf } from './arguments.ts';
import { runExperiment } from './experiment.ts';

/** The paper's (section 5.2). */
const HORIZONS = [10, 25, 50, 100, 200];

/** `skillstate bench warehouse|warehouse-crowded|repository …`: score and prompt size over the horizon. */
export function scalingCommand(environment: EnvironmentName, args: readonly string[]): Promise<number> {
  return runExperiment(
    {
      name: environment,
      about: 'experiment 1: score and prompt size over the horizon',
      horizons: HORIZONS,
      environments: [environment],
      choice: false,
      plan: (flags) => scaling(settingsOf(flags), environment, flags.horizons),
    },
    args,
  );
}
