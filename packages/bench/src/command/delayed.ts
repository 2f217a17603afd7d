import { delayed } from '../experiment/plans.ts';
import { settingsOf } from './arguments.ts';
import { everywhere, type Experiment, runExperiment } from './experiment.ts';

const EXPERIMENT: Experiment<unknown> = {
  name: 'delayed',
  about: 'facts whose use comes 5 to 100 steps later: no field, notes, a named field, a reminder, recall',
  horizons: [300],
  environments: ['delayed'],
  choice: false,
  plan: (flags) => everywhere(flags, (_, horizon) => delayed(settingsOf(flags), horizon)),
};

/** `skillstate bench delayed …`. */
export function delayedCommand(args: readonly string[]): Promise<number> {
  return runExperiment(EXPERIMENT, args);
}
