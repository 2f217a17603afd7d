import type { Command } from 'commander';
import type { Outcome } from '../output.ts';

type Main = (args: string[]) => Promise<number>;
type Bench = { readonly benchMain: Main; readonly costMain: Main; readonly transcriptsMain: Main };

/** Verbs of the bench package, which is loaded only when one of them is asked for; it reads its own options. */
export function addBench(program: Command, outcome: Outcome): void {
  const pass = (name: string, description: string, main: keyof Bench, withDb: boolean): void => {
    program
      .command(name)
      .description(`${description} (skillstate ${name} --help)`)
      .allowUnknownOption()
      .allowExcessArguments()
      .helpOption(false)
      .argument('[args...]')
      .action(async (args: string[]) => {
        const bench: Bench = await import('@skillstate/bench');
        const db = withDb && !args.includes('--db') ? ['--db', String(program.opts()['db'])] : [];
        outcome.exit = await bench[main]([...args, ...db]);
      });
  };
  pass('bench', 'rerun the paper’s experiments and public benchmarks', 'benchMain', false);
  pass('cost', 'what a run would have cost with every way to build its prompts', 'costMain', true);
  pass(
    'transcripts',
    'count tokens in local agent transcripts; no content is read',
    'transcriptsMain',
    false,
  );
}
