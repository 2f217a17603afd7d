import type { Command } from 'commander';
import {
  inspectStep,
  promptAt,
  promptNext,
  reportRun,
  type RunEvent,
  stateAt,
  stateDiff,
  type Store,
} from '@skillstate/runtime';
import { withStore } from '../context.ts';
import { IssuesError, type Outcome, paint, print, printJson } from '../output.ts';
import { eventLine } from '../view/live.ts';
import { runLines } from '../view/run.ts';
import { stepLines } from '../view/step.ts';
import { table } from '../view/table.ts';

type Flags = { readonly db: string; readonly json?: boolean; readonly step?: string };

/** Verbs that look at runs and change nothing. */
export function addReading(program: Command, _outcome: Outcome): void {
  program
    .command('runs')
    .description('list the runs of the database')
    .option('--json', 'as JSON')
    .action(async (_options: unknown, command: Command) => {
      const { db, json } = command.optsWithGlobals<Flags>();
      const runs = await withStore(db, (store) => store.runs());
      if (json)
        return printJson(
          runs.map(({ head, ...rest }) => ({
            run: head.run,
            status: head.status,
            reason: head.reason,
            steps: head.step,
            costUsd: head.costUsd,
            ...rest,
          })),
        );
      const rows = runs.map(({ head, skillName, updatedAt }) => [
        head.run,
        skillName,
        head.status,
        head.step,
        new Date(updatedAt).toISOString(),
        head.reason.slice(0, 60),
      ]);
      print(
        rows.length === 0
          ? 'no runs yet: skillstate run SKILL --model MODEL'
          : table(['run', 'skill', 'status', 'steps', 'updated', 'reason'], rows),
      );
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
    .option('--type <type...>', 'only events of these types')
    .option('--tool <name>', 'only events about this tool')
    .option('--since <time>', 'only events at or after this ISO time')
    .option('--json', 'one JSON object a line')
    .action(async (run: string, _options: unknown, command: Command) => {
      const flags = command.optsWithGlobals<LogFlags>();
      await withStore(flags.db, (store) => printLog(store, run, flags));
    });
  program
    .command('prompt <run>')
    .description('exactly the bytes that the model gets next, or got in a step')
    .option('--step <n>', 'the prompt of this step')
    .action(async (run: string, _options: unknown, command: Command) => {
      const { db, step } = command.optsWithGlobals<Flags>();
      const text = await withStore(db, (store) =>
        step === undefined ? promptNext(store, run) : promptAt(store, run, stepNumber(step)),
      );
      process.stdout.write(text);
    });
  program
    .command('diff <run> <from> <to>')
    .description('what changed in the state between two steps')
    .option('--json', 'as JSON')
    .action(async (run: string, from: string, to: string, _options: unknown, command: Command) => {
      const { db, json } = command.optsWithGlobals<Flags>();
      const [before, after] = await withStore(db, (store) =>
        Promise.all([stateAt(store, run, stepNumber(from)), stateAt(store, run, stepNumber(to))]),
      );
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

function stepNumber(text: string): number {
  const step = Number(text);
  if (!Number.isSafeInteger(step) || step < 0)
    throw new IssuesError('no step:', [{ code: 'run.no_step', path: '', hint: `${text} is no step number` }]);
  return step;
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
    const loaded = await store.load(run);
    if (loaded === null) throw new Error(`no run ${run}; skillstate runs lists them`);
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
    const ended = ['finished', 'cancelled', 'failed'].includes(loaded.head.status);
    if (!flags.follow || ended) return;
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
}

function logLine(event: RunEvent): string {
  const about = eventLine(event) ?? ('status' in event ? event.status : '');
  return `${String(event.seq).padStart(5)}  ${new Date(event.at).toISOString()}  ${event.type.padEnd(16)} ${about.trim()}`;
}
