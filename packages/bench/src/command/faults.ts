import { InvalidArgumentError } from 'commander';
import { faults } from '../experiment/plans.ts';
import type { FaultRates } from '../reference/faults.ts';
import { isScripted, settingsOf } from './arguments.ts';
import { everywhere, type Experiment, runExperiment } from './experiment.ts';
import { list, oneOf, share } from './numbers.ts';

type Own = { readonly rates: readonly number[]; readonly mix?: FaultRates };

const EXPERIMENT: Experiment<Own> = {
  name: 'faults',
  about: 'spoiled replies of a scripted model',
  horizons: [50],
  environments: ['warehouse'],
  choice: true,
  options: (program) =>
    program
      .option('--rates <shares>', 'faults a call, with commas between', list(share), [0, 0.1, 0.2, 0.3])
      .option(
        '--mix <shares>',
        'of the kinds, as overwrite=0.68,types=0.2,syntax=0.12,action=0 (the paper’s); action: a wrong command',
        readMix,
      ),
  plan(flags) {
    if (!isScripted(flags.model))
      throw new Error('faults are those of a scripted model: --model reference or http');
    return everywhere(flags, (environment, horizon) =>
      faults(settingsOf(flags), environment, horizon, flags.rates, flags.mix),
    );
  },
};

const KINDS = ['overwrite', 'types', 'syntax', 'action'] as const;

/** Reads `overwrite=0.5,action=0.5`: shares that make 1 together; kinds that are not named have none. */
function readMix(text: string): FaultRates {
  const mix = { overwrite: 0, types: 0, syntax: 0, action: 0 };
  for (const part of text.split(',')) {
    const [name = '', value = ''] = part.split('=').map((word) => word.trim());
    mix[oneOf(KINDS)(name)] = share(value);
  }
  const sum = KINDS.reduce((all, kind) => all + mix[kind], 0);
  if (Math.abs(sum - 1) > 1e-6) throw new InvalidArgumentError(`shares make ${sum} together, 1 is wanted`);
  return mix;
}

/** `skillstate bench faults …`. */
export function faultsCommand(args: readonly string[]): Promise<number> {
  return runExperiment(EXPERIMENT, args);
}
