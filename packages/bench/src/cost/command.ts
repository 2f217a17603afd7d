import { access } from 'node:fs/promises';
import { resolve } from 'node:path';
import { openSqliteStore, type Store } from '@skillstate/runtime';
import { Command } from 'commander';
import { runCommand } from '../command/run-command.ts';
import { dollars, NONE, percent, whole } from '../report/format.ts';
import { terminalTable } from '../report/terminal.ts';
import { startOf } from './run-events.ts';
import { costOfRun, type RunCost } from './run.ts';
import { findSheet } from './sheet.ts';

type Flags = {
  readonly db: string;
  readonly prices?: string;
  readonly sheet?: string;
  readonly json?: boolean;
};

/** `skillstate cost RUN`. Resolves with the exit code. */
export function costMain(args: readonly string[]): Promise<number> {
  const program = new Command('skillstate cost')
    .description(
      'what a run cost, and what other ways of building its prompts would have cost on the same events',
    )
    .argument('<run>')
    .option('--db <file>', 'database of runs', process.env['SKILLSTATE_DB'] ?? '.skillstate/skillstate.db')
    .option('--prices <model>', "use this model's prices; the run's own by default")
    .option('--sheet <file>', 'use the price sheet in this JSON file')
    .option('--json', 'as JSON')
    .action(async (run: string, flags: Flags) => {
      await access(flags.db).catch(() => {
        throw new Error(`there is no database ${flags.db}; name it with --db`);
      });
      const store = await openSqliteStore(resolve(flags.db));
      try {
        const cost = await measure(store, run, flags);
        process.stdout.write(`${flags.json === true ? JSON.stringify(cost, null, 2) : costText(cost)}\n`);
      } finally {
        await store.close();
      }
    });
  return runCommand(program, args);
}

async function measure(store: Store, run: string, flags: Flags): Promise<RunCost> {
  const start = await startOf(store, run);
  if (start === null) throw new Error(`no run ${run}; skillstate runs lists them [run.missing]`);
  const sheet = await findSheet(flags.prices ?? start.model, flags.sheet);
  const found = await costOfRun(store, run, sheet);
  if (found.ok) return found.value;
  throw new Error(found.issues.map((issue) => `${issue.hint} [${issue.code}]`).join('\n'));
}

/** The figures for people. */
export function costText(cost: RunCost): string {
  const [state] = cost.arms;
  const rows = cost.arms.map((arm) => {
    const line = cost.breakEven.find(({ against }) => against === arm.arm);
    return [
      arm.arm,
      whole(arm.inputTokens),
      arm.inputTokens === 0 ? NONE : percent(arm.cacheReadTokens / arm.inputTokens),
      whole(arm.outputTokens),
      dollars(arm.rawUsd),
      dollars(arm.cachedUsd),
      line === undefined ? '' : stepText(line.raw),
      line === undefined ? '' : stepText(line.cached),
    ];
  });
  const head = ['prompts as', 'input', 'cached', 'output', 'raw', 'with cache', 'break-even', 'with cache'];
  return [
    `run ${cost.run}: ${cost.steps} steps with ${cost.model}`,
    `prices of ${cost.prices.model}, ${cost.prices.asOf} (${cost.prices.source})${pricesNote(cost)}`,
    `tokens: ${cost.tokensBy}`,
    '',
    terminalTable(head, rows),
    '',
    ...cost.arms.flatMap((arm) => arm.notes.map((note) => `${arm.arm}: ${note}`)),
    ...(state === undefined
      ? []
      : [
          `${state.arm}: cached tokens ${state.cacheBy === 'provider' ? 'as the provider reported them' : 'simulated'}; the others simulated`,
        ]),
    `truncated: a window of ${whole(cost.window)} tokens, the size of the first prompt`,
    ...(state !== undefined && state.calls > cost.steps
      ? ['the others answer in one call a step: the retries of this run are billed to state alone']
      : []),
    ...cost.refused.map((issue) => `refused: ${issue.hint}`),
    savingText(cost),
  ].join('\n');
}

/** Said wherever the prices are not those of the model that ran. */
function pricesNote({ model, prices }: RunCost): string {
  return model === prices.model ? '' : `; not the prices of ${model}, choose others with --prices`;
}

const stepText = (step: number | null): string => (step === null ? 'never' : `step ${step}`);

function savingText({ noSaving, arms }: RunCost): string {
  if (noSaving !== null) return `no saving is stated: ${noSaving}`;
  const [state, prompt] = arms;
  if (state === undefined || prompt === undefined || prompt.cachedUsd === 0) return '';
  const times = (column: 'rawUsd' | 'cachedUsd'): string => (prompt[column] / state[column]).toFixed(2);
  return `a transcript would have cost ${times('rawUsd')} times as much raw, ${times('cachedUsd')} times with caching`;
}
