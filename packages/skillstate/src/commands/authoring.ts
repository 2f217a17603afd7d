import { stat } from 'node:fs/promises';
import type { Command } from 'commander';
import { checkSkill, checkStateFile } from '../check.ts';
import { EXIT, issueLine, type Outcome, paint, plural, print, printJson } from '../output.ts';
import { scaffold } from '../scaffold.ts';

/** Verbs for the author of a skill. */
export function addAuthoring(program: Command, outcome: Outcome): void {
  program
    .command('init <folder>')
    .description('scaffold a skill: SKILL.md and a state contract with named fields and bounded notes')
    .action(async (folder: string) => {
      const files = await scaffold(folder);
      for (const file of files) print(`wrote ${file}`);
      print(`next: edit both, then skillstate check ${folder}`);
    });
  program
    .command('check <skill> [stateFile]')
    .description(
      'a skill folder: format, schema, merge rules, bounds, worst-case prompt; or a state file against it',
    )
    .option('--tools <module>', 'module that exports the function tools the skill names')
    .option('--connect', 'also start the skill’s tool servers and check what they offer')
    .option('--json', 'as JSON')
    .action(async (folder: string, stateFile: string | undefined, _options: unknown, command: Command) => {
      const flags = command.optsWithGlobals<{ json?: boolean; tools?: string; connect?: boolean }>();
      const report =
        stateFile === undefined ? await checkSkill(folder, flags) : await checkStateFile(folder, stateFile);
      outcome.exit = report.ok ? EXIT.done : EXIT.error;
      if (flags.json) return printJson(report);
      for (const line of report.lines) print(line);
      for (const issue of report.issues) print(`${paint('red', 'error')}  ${issueLine(issue)}`);
      for (const warning of report.warnings) print(`${paint('yellow', 'warning')}  ${issueLine(warning)}`);
      print(report.ok ? paint('green', 'ok') : paint('red', plural(report.issues.length, 'problem')));
    });
  program
    .command('probe <skill>')
    .description('ask a real model a fixed set of situations; reports first-try acceptance and repair rate')
    .requiredOption('-m, --model <name>', 'the model')
    .option('--tools <module>', 'module that exports the function tools the skill names')
    .option('--json', 'as JSON')
    .action(async (folder: string, _options: unknown, command: Command) => {
      const flags = command.optsWithGlobals<{ json?: boolean; model: string; tools?: string }>();
      await stat(folder);
      const { probe } = await import('../probe.ts');
      const report = await probe(folder, flags);
      if (flags.json) printJson(report);
      else for (const line of report.lines) print(line);
    });
}
