import { isObject } from '../../state/shape.ts';
import type { Intent, Json, JsonObject, Tool, ToolResult } from '../../types.ts';
import { type Changes, createChanges, type SavedChanges } from './changes.ts';
import type { Ledger, LedgerDecision, LedgerOutcome } from './ledger.ts';
import { isFile, type Use, useOf } from './use.ts';
import { ledgerView } from './view.ts';

/** A result that may be used again: what was asked, its event, and how the world stood when it was read. */
export type Read = {
  readonly key: string;
  readonly label: string;
  readonly range: string;
  readonly seq: number;
  readonly step: number;
  readonly at: number;
  readonly print: string | null;
  readonly resources: readonly string[];
};

/** A test run; `at` is the count of changes right after it. */
export type TestRun = {
  readonly key: string;
  readonly form: string;
  readonly seq: number;
  readonly step: number;
  readonly at: number;
  readonly ok: boolean;
};

type Saved = {
  readonly v: 1;
  readonly changes: SavedChanges;
  readonly reads: readonly Read[];
  readonly tests: readonly TestRun[];
};

export type LedgerOptions = {
  /** Tools whose `{command}` is a shell command. */
  readonly commands: readonly string[];
};

type Mind = {
  readonly commands: ReadonlySet<string>;
  readonly changes: Changes;
  readonly reads: Map<string, Read>;
  readonly tests: Map<string, TestRun>;
  readonly uses: WeakMap<Intent, Use>;
  /** The calls that run now, with the count of changes when they began. */
  readonly begun: Map<string, { readonly at: number; readonly print: string | null }>;
};

const MOST_READS = 64;
const MOST_TESTS = 16;
const MOST_LABEL = 120;

/** A ledger from what an earlier one saved (null: none). What it cannot read it forgets: then nothing is reused. */
export function createLedger(facts: Json, options: LedgerOptions): Ledger {
  const saved = isSaved(facts) ? facts : null;
  const mind: Mind = {
    commands: new Set(options.commands),
    changes: createChanges(saved?.changes ?? null),
    reads: new Map((saved?.reads ?? []).map((read) => [read.key, read])),
    tests: new Map((saved?.tests ?? []).map((test) => [test.key, test])),
    uses: new WeakMap(),
    begun: new Map(),
  };
  return {
    view: () => ledgerView(mind.changes, [...mind.reads.values()], [...mind.tests.values()]),
    files: (intent, tool) => filesOf(useFor(mind, intent, tool)),
    decide: (intent, tool, print) => decide(mind, useFor(mind, intent, tool), print),
    before: (intent, tool, print) => before(mind, intent, useFor(mind, intent, tool), print),
    after: (intent, tool, result, outcome) =>
      after(mind, intent, useFor(mind, intent, tool), result, outcome),
    changed: () => mind.changes.bump(null, 0),
    lapse: () => {
      for (const [key, { print }] of mind.reads) if (print === null) mind.reads.delete(key);
    },
    facts: () => save(mind) as unknown as Json,
  };
}

function isSaved(facts: Json): facts is Json & Saved {
  return isObject(facts) && facts['v'] === 1;
}

function save({ changes, reads, tests }: Mind): Saved {
  return { v: 1, changes: changes.save(), reads: [...reads.values()], tests: [...tests.values()] };
}

function useFor(mind: Mind, intent: Intent, tool: Tool): Use {
  const known = mind.uses.get(intent) ?? useOf(intent, tool, mind.commands);
  mind.uses.set(intent, known);
  return known;
}

function filesOf({ writes, resources }: Use): readonly string[] {
  return writes || resources === null || !resources.every(isFile) ? [] : resources;
}

const ALLOW: LedgerDecision = { kind: 'allow' };

function decide(mind: Mind, use: Use, print: string | null): LedgerDecision {
  if (use.command?.category === 'test') return nudge(mind, use.key);
  if (use.writes || use.resources === null) return ALLOW;
  const read = mind.reads.get(use.key);
  if (read === undefined || !mind.changes.unchanged(read.resources, read.at)) return ALLOW;
  const files = read.resources.some(isFile);
  // A file counts as unchanged only by its content, told by the tool that reads it.
  if (files && (print === null || print !== read.print)) return ALLOW;
  const note = `the result of step ${read.step} (event ${read.seq}): ${files ? 'the content of its files is the same' : 'this run changed nothing it depends on'}`;
  return { kind: 'reuse', source: read.seq, note };
}

function nudge(mind: Mind, key: string): LedgerDecision {
  const test = mind.tests.get(key);
  if (test === undefined || test.at !== mind.changes.count()) return ALLOW;
  const note = `the same test ran in step ${test.step} (${test.ok ? 'passed' : 'failed'}) and nothing was changed since`;
  return { kind: 'nudge', source: test.seq, note };
}

function before(mind: Mind, intent: Intent, use: Use, print: string | null): void {
  if (use.writes) mind.changes.bump(use.resources, intent.step);
  mind.begun.set(intent.call, { at: mind.changes.count(), print });
}

function after(
  mind: Mind,
  intent: Intent,
  use: Use,
  result: ToolResult,
  { seq, steady }: LedgerOutcome,
): void {
  const begun = mind.begun.get(intent.call);
  mind.begun.delete(intent.call);
  const { step } = intent;
  if (use.writes) mind.changes.bump(use.resources, step);
  if (use.command?.category === 'test') {
    const form = use.command.form.slice(0, MOST_LABEL).toWellFormed();
    const run = { key: use.key, form, seq, step, at: mind.changes.count(), ok: result.status === 'ok' };
    keep(mind.tests, use.key, run, MOST_TESTS);
  }
  if (begun === undefined || use.writes || use.resources === null || !isWhole(result) || !steady) return;
  const { resources, key } = use;
  const label = use.label.slice(0, MOST_LABEL).toWellFormed();
  if (resources.join('').length > 4 * MOST_LABEL) return;
  keep(
    mind.reads,
    key,
    { key, label, range: rangeOf(result), seq, step, at: begun.at, print: begun.print, resources },
    MOST_READS,
  );
}

/** Newest last; the oldest goes. */
function keep<T>(map: Map<string, T>, key: string, value: T, most: number): void {
  map.delete(key);
  map.set(key, value);
  const oldest = map.size > most ? map.keys().next().value : undefined;
  if (oldest !== undefined) map.delete(oldest);
}

/** A failed result, one that says it is a part, or one with parts outside its text is never used again. */
function isWhole({ status, structured, blobs }: ToolResult): boolean {
  const part = isObject(structured) && (structured['partial'] === true || structured['truncated'] === true);
  return status === 'ok' && !part && (blobs === undefined || blobs.length === 0);
}

/** The range that was really returned, where the tool says so: `{unit, from, to, total}`. */
function rangeOf({ structured }: ToolResult): string {
  if (!isObject(structured)) return '';
  const { unit, from, to, total } = structured as JsonObject;
  const numbers = typeof from === 'number' && typeof to === 'number' && typeof total === 'number';
  if (!numbers || (from <= 1 && to >= total - 1 && unit === 'bytes') || (from <= 1 && to >= total)) return '';
  return `${typeof unit === 'string' ? unit.slice(0, 12) : ''} ${from}-${to} of ${total}`.trim();
}
