import { Command, CommanderError } from 'commander';
import { addAuthoring } from './commands/authoring.ts';
import { addBench } from './commands/bench.ts';
import { addDriving } from './commands/driving.ts';
import { addKeeping } from './commands/keeping.ts';
import { addOrders } from './commands/orders.ts';
import { addReading } from './commands/reading.ts';
import { EXIT, explain } from './output.ts';

/**
 * Runs the command line; resolves with the exit code: 0 finished or done, 1 error, 2 waits or needs attention, 3 another
 * process has taken the run over.
 */
export async function main(argv: readonly string[]): Promise<number> {
  const outcome = { exit: EXIT.done as number };
  process.stdout.on('error', endOnClosedPipe);
  const program = new Command('skillstate')
    .description('Run long agent skills on explicit state: P, Σ and O in, a validated transition out.')
    .version('0.1.0', '-V, --version')
    .option('--db <file>', 'database of runs', process.env['SKILLSTATE_DB'] ?? '.skillstate/skillstate.db')
    .showHelpAfterError('(skillstate --help lists the verbs)')
    .configureHelp({ sortSubcommands: false })
    .exitOverride();
  for (const add of [addAuthoring, addDriving, addOrders, addReading, addKeeping, addBench])
    add(program, outcome);
  try {
    await program.parseAsync([...argv]);
    return outcome.exit;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    process.stderr.write(`${explain(error)}\n`);
    return EXIT.error;
  }
}

/** A reader that had enough (`| head`) is no error. */
function endOnClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
  process.exit(EXIT.done);
}
