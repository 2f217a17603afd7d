import { type Command, CommanderError } from 'commander';

/** Parses and runs one verb; resolves with its exit code. Errors go to standard error in one line. */
export async function runCommand(program: Command, args: readonly string[]): Promise<number> {
  program.showHelpAfterError('(--help lists the options)').exitOverride();
  try {
    await program.parseAsync([...args], { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
}
