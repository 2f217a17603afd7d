import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, Option } from 'commander';
import {
  EVENT_TYPES,
  inspectStep,
  promptAt,
  promptNext,
  reportRun,
  RunError,
  type RunEvent,
  stateAt,
  stateDiff,
  type Store,
} from '@skillstate/runtime';
import { needRun, withStore } from '../context.ts';
import { firstPrompt } from '../first-prompt.ts';
import { clean, ended, listed, type Outcome, paint, print, printJson, stepNumber } from '../output.ts';
import { eventLine } from '../view/live.ts';
import { runLines } from '../view/run.ts';
import { runJson, runsTable } from '../view/runs.ts';
import { stepLines } from '../view/step.ts';

type Flags = { readonly db: string; readonly json?: boolean; readonly step?: string };

/** Verbs that look at runs and change nothing. */
export function addReading(program: Command, _outcome: Outcome): void {
  program
    .command('runs')
    .description('list the runs of the database')
    .option('--json', 'as JSON')
    .action(async (_options: unknown, command: Command) => {
      const { db, json } = command.optsWithGlobals<Flags>();
      const runs = existsSync(db) ? await withStore(db, (store) => store.runs()) : [];
      if (json) printJson(runs.map((summary) => runJson(summary, Date.now())));
      else if (runs.length > 0) print(runsTable(runs, Date.now()));
      else print(`no runs yet in ${db}: skillstate run SKILL --model MODEL`);
    });
  program
    .command('show <run>')
    .description(
      'a run: executed, claimed and confirmed; or one step: state, patch, action, observation, verdict',
    )
    .option('--step <n>', 'explain this step')
    .option('--json', 'as JSON')
    .action(async (run: string, _options: unknown, command: Command) => {
      const { db, json, step } = command.optsWithGlobals<Flags>();
      await withStore(db, async (store) => {
        if (step === undefined)
          return json
            ? printJson(await reportRun(store, run))
            : print((await runLines(store, run)).join('\n'));
        const view = await inspectStep(store, run, stepNumber(step));
        if (json) printJson(view);
        else print((await stepLines(store, run, view)).join('\n'));
      });
    });
  program
    .command('log <run>')
    .description('the event log of a run')
    .option('-f, --follow', 'go on printing as events come')
    .addOption(new Option('--type <type...>', 'only events of these types').choices(EVENT_TYPES))
    .option('--tool <name>', 'only events about this tool')
    .option('--since <time>', 'only events at or after this ISO time')
    .option('--json', 'one JSON object a line')
    .action(async (run: string, _options: unknown, command: Command) => {
      const flags = command.optsWithGlobals<LogFlags>();
      await withStore(flags.db, (store) => printLog(store, run, flags));
    });
  program
    .command('prompt <run-or-skill>')
    .description(
      'exactly the bytes that the model gets next, or got in a step; of a skill folder, the first prompt',
    )
    .option('--step <n>', 'the prompt of this step of the run')
    .option('--model <name>', 'skill folder: as this model would be asked; by default in text')
    .option('--tools <module>', 'skill folder: module that exports the function tools it names')
    .option('--input <text>', 'skill folder: the first message')
    .option('--secret <name[=VARIABLE]>', 'skill folder: a secret that its tool servers need', listed, [])
    .option('--json', 'as JSON: the text and its size in bytes')
    .action(async (target: string, _options: unknown, command: Command) => {
      const flags = command.optsWithGlobals<PromptFlags>();
      const text = existsSync(join(target, 'SKILL.md'))
        ? await firstPrompt(target, flags)
        : await withStore(flags.db, (store) => promptOf(store, target, flags.step));
      if (flags.json) printJson({ text, bytes: Buffer.byteLength(text) });
      else process.stdout.write(process.stdout.isTTY ? `${text}\n` : text);
    });
  program
    .command('diff <run> <from> <to>')
    .description('what changed in the state between two steps')
    .option('--json', 'as JSON')
    .action(async (run: string, from: string, to: string, _options: unknown, command: Command) => {
      const { db, json } = command.optsWithGlobals<Flags>();
      const steps = [stepNumber(from), stepNumber(to)] as const;
      const [before, after] = await withStore(db, async (store) => {
        await needRun(store, run);
        return [await stateAt(store, run, steps[0]), await stateAt(store, run, steps[1])] as const;
      });
      const delta = stateDiff(before, after);
      if (json) return printJson(delta);
      for (const change of delta)
        print(
          'set' in change
            ? `${paint('green', '+')} ${change.set} = ${JSON.stringify(change.value)}`
            : `${paint('red', '-')} ${change.delete}`,
        );
      if (delta.length === 0) print('no difference');
    });
}

type PromptFlags = Flags & {
  readonly model?: string;
  readonly tools?: string;
  readonly input?: string;
  readonly secret: readonly string[];
};

async function promptOf(store: Store, run: string, step: string | undefined): Promise<string> {
  if (step !== undefined) return promptAt(store, run, stepNumber(step));
  const { head } = await needRun(store, run);
  if (!ended(head.status)) return promptNext(store, run);
  const hint = `run ${run} is ${head.status}; no prompt follows. --step ${head.step} shows its last one`;
  throw new RunError({ code: 'run.ended', path: '', hint });
}

type LogFlags = Flags & {
  readonly follow?: boolean;
  readonly type?: RunEvent['type'][];
  readonly tool?: string;
  readonly since?: string;
};

async function printLog(store: Store, run: string, flags: LogFlags): Promise<void> {
  const since = flags.since === undefined ? 0 : Date.parse(flags.since);
  if (Number.isNaN(since))
    throw new Error(`--since ${flags.since}: write an ISO time such as 2026-03-01T09:00:00Z`);
  let from = 1;
  while (true) {
    const loaded = await needRun(store, run);
    const query = {
      from,
      to: loaded.head.seq,
      since,
      ...(flags.type && { types: flags.type }),
      ...(flags.tool && { tool: flags.tool }),
    };
    for await (const event of store.events(run, query))
      print(flags.json ? JSON.stringify(event) : logLine(event));
    from = loaded.head.seq + 1;
    if (!flags.follow || ended(loaded.head.status)) return;
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
}

function logLine(event: RunEvent): string {
  const when = new Date(event.at).toISOString();
  return `${String(event.seq).padStart(5)}  ${when}  ${event.type.padEnd(16)} ${aboutEvent(event)}`.trimEnd();
}

/** What the live view leaves out, because a report says it, is said here. */
function aboutEvent(event: RunEvent): string {
  if (event.type === 'run.started')
    return clean(`${event.model}, ${event.mode} mode, ${event.dialect} dialect`);
  if (event.type === 'run.stopped')
    return clean(event.reason.startsWith(event.status) ? event.reason : `${event.status}: ${event.reason}`);
  if (event.type === 'action.finished')
    return clean(`${event.tool}: ${event.status}${event.note === '' ? '' : ` (${event.note})`}`);
  return eventLine(event)?.trim() ?? '';
}
