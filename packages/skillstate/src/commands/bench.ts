import type { Command } from 'commander';
import type { Outcome } from '../output.ts';

/** `skillstate bench …`: everything of the bench package, loaded only when asked for. */
export function addBench(program: Command, outcome: Outcome): void {
  program
    .command('bench')
    .description('rerun the paper’s experiments and public benchmarks (skillstate bench --help)')
    .allowUnknownOption()
    .allowExcessArguments()
    .helpOption(false)
    .argument('[args...]')
    .action(async (args: string[]) => {
      const { benchMain } = await import('@skillstate/bench');
      outcome.exit = await benchMain(args);
    });
}
