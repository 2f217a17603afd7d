import { expect, test } from 'vitest';
import { byteLength } from '../../json/wellformed.ts';
import type { Action, Intent, Json, JsonObject, Tool, ToolDeclaration, ToolResult } from '../../types.ts';
import { createIntent } from '../intent.ts';
import { createLedger } from './create.ts';
import type { Ledger, LedgerDecision } from './ledger.ts';

function tool(name: string, readOnly: boolean, declaration: ToolDeclaration = {}): Tool {
  const spec = {
    name,
    description: name,
    inputSchema: { type: 'object' },
    outputSchema: null,
    idempotent: readOnly,
    destructive: false,
    timeoutMs: 1000,
  };
  return { ...spec, readOnly, declaration, run: () => Promise.resolve({ status: 'ok', text: '' }) };
}

const FILE = { resources: '["file:" + args.path]' };
const TOOLS = {
  read: tool('read_file', true, FILE),
  write: tool('write_file', false, FILE),
  shell: tool('shell', false),
  get: tool('get_article', true, { resources: '["article/" + args.id]', sets: ['fields'] }),
  put: tool('put_article', false, { resources: '["article/" + args.id]' }),
  other: tool('other', false),
  look: tool('look', true),
  poll: tool('poll', true, { resources: '["job/1"]', polling: true }),
};

/** A ledger with a counter of events; `print` is what the tool says of its files. */
function bench(facts: Json = null): {
  ledger: Ledger;
  go: (
    which: keyof typeof TOOLS,
    args: JsonObject,
    more?: Partial<ToolResult> & { print?: string | null; steady?: boolean },
  ) => LedgerDecision['kind'];
} {
  const ledger = createLedger(facts, { commands: ['shell'] });
  let step = 0;
  return {
    ledger,
    go: (which, args, { print = 'p', steady = true, ...result } = {}) => {
      const chosen = TOOLS[which];
      step += 1;
      const action: Action = { tool: chosen.name, args };
      const intent: Intent = createIntent('r', step, action, chosen, null, 0);
      const given = ledger.files(intent, chosen).length > 0 ? print : null;
      const decision = ledger.decide(intent, chosen, given);
      if (decision.kind === 'reuse') return 'reuse';
      ledger.before(intent, chosen, given);
      ledger.after(intent, chosen, { status: 'ok', text: 'x', ...result }, { seq: step * 10, steady });
      return decision.kind;
    },
  };
}

const sh = (command: string): JsonObject => ({ command });

test('a file that was read is read once until its content differs, however it was changed', () => {
  const { go } = bench();
  const a = { path: 'src/a.ts' };
  expect([go('read', a), go('read', a), go('read', { path: './src//a.ts' })]).toEqual([
    'allow',
    'reuse',
    'allow',
  ]);
  expect([go('read', a, { print: 'q' }), go('read', a, { print: 'q' })]).toEqual(['allow', 'reuse']);
  expect([go('write', a), go('read', a, { print: 'q' })]).toEqual(['allow', 'allow']);
  expect([go('write', { path: 'src/b.ts' }), go('read', a, { print: 'q' })]).toEqual(['allow', 'reuse']);
});

test('P45: without a fingerprint of the same file system nothing is reused', () => {
  const { go } = bench();
  const a = { path: 'a' };
  expect([go('read', a, { print: null }), go('read', a, { print: null })]).toEqual(['allow', 'allow']);
  expect([go('read', { path: 'b' }, { steady: false }), go('read', { path: 'b' })]).toEqual([
    'allow',
    'allow',
  ]);
});

test('P46: every command that is not proven read-only counts as a change of everything', () => {
  const { go } = bench();
  const a = { path: 'src/a.ts' };
  go('read', a);
  go('shell', sh('cat README.md'));
  expect([go('read', a), go('shell', sh('cat  README.md'))]).toEqual(['reuse', 'reuse']);
  for (const command of ['git checkout other-branch', 'python gen.py', 'npm test', 'cd src']) {
    go('shell', sh(command));
    expect([command, go('read', a), go('shell', sh('cat README.md'))]).toEqual([command, 'allow', 'allow']);
  }
  go('other', {});
  expect(go('read', a)).toBe('allow');
  expect([go('shell', sh('grep -rn TODO src')), go('shell', sh('grep -rn TODO src'))]).toEqual([
    'allow',
    'allow',
  ]);
});

test('P46: failed and partial results are never reused', () => {
  const { go } = bench();
  const failing: readonly Partial<ToolResult>[] = [
    { status: 'error' },
    { structured: { partial: true } },
    { structured: { truncated: true } },
    { blobs: [{ name: 'stdout', mimeType: 'text/plain', bytes: new Uint8Array(1) }] },
  ];
  for (const result of failing)
    expect([go('read', { path: 'a' }, result), go('read', { path: 'a' }, result)]).toEqual([
      'allow',
      'allow',
    ]);
});

test('declared resources that are no files: until a declared writer of theirs, anything unknown, or a lapse of time', () => {
  const { ledger, go } = bench();
  const a = { id: '12' };
  expect([go('get', a), go('get', a), go('put', { id: '13' }), go('get', a)]).toEqual([
    'allow',
    'reuse',
    'allow',
    'reuse',
  ]);
  expect([go('put', a), go('get', a), go('get', a)]).toEqual(['allow', 'allow', 'reuse']);
  ledger.lapse();
  expect([go('get', a), go('get', a)]).toEqual(['allow', 'reuse']);
  ledger.changed();
  expect(go('get', a)).toBe('allow');
  expect([go('look', {}), go('look', {}), go('poll', {}), go('poll', {})]).toEqual([
    'allow',
    'allow',
    'allow',
    'allow',
  ]);
});

test('a change inside a folder counts for the folder, and of the folder for what is in it', () => {
  const { go } = bench();
  go('get', { id: 'a/b' });
  go('put', { id: 'a' });
  expect(go('get', { id: 'a/b' })).toBe('allow');
  go('get', { id: 'c' });
  go('put', { id: 'c/d' });
  expect(go('get', { id: 'c' })).toBe('allow');
});

test('P81: arguments that mean sets compare without order, sequences with it', () => {
  const { go } = bench();
  go('get', { id: '1', fields: ['a', 'b'], order: ['x', 'y'] });
  expect(go('get', { id: '1', fields: ['b', 'a'], order: ['x', 'y'] })).toBe('reuse');
  expect(go('get', { id: '1', fields: ['a', 'b'], order: ['y', 'x'] })).toBe('allow');
});

test('a test that is repeated with nothing changed runs, with a note; after any change without', () => {
  const { go } = bench();
  expect([
    go('shell', sh('npm test')),
    go('shell', sh('npm  test')),
    go('read', { path: 'a' }),
    go('shell', sh('npm test')),
  ]).toEqual(['allow', 'nudge', 'allow', 'nudge']);
  go('write', { path: 'a' });
  expect(go('shell', sh('npm test'))).toBe('allow');
  go('shell', sh('npm run build'));
  expect(go('shell', sh('npm test'))).toBe('allow');
  expect(go('shell', sh('npm run test:unit'))).toBe('allow');
});

test('facts survive a kill and stay small; the view too', () => {
  const first = bench();
  for (let index = 0; index < 500; index++) {
    first.go(
      'read',
      { path: `packages/some/rather/long/folder/name/file-${index}.ts` },
      { structured: { unit: 'lines', from: 1, to: 120, total: 300 } },
    );
    if (index % 3 === 0) first.go('write', { path: `packages/w-${index}.ts` });
    if (index % 50 === 0) first.go('shell', sh(`npx vitest run ${'x'.repeat(200)} file-${index}`));
  }
  const facts = first.ledger.facts();
  expect(byteLength(JSON.stringify(facts))).toBeLessThan(32_000);
  expect(byteLength(first.ledger.view())).toBeLessThanOrEqual(1024);
  expect(first.ledger.view()).toMatch(
    /^read, and not changed by this run since: .*file-499\.ts lines 1-120 of 300 \(step \d+\)/,
  );
  const again = bench(JSON.parse(JSON.stringify(facts)) as Json);
  expect(again.ledger.view()).toBe(first.ledger.view());
  expect(again.go('read', { path: 'packages/some/rather/long/folder/name/file-499.ts' })).toBe('reuse');
  expect(again.go('read', { path: 'packages/some/rather/long/folder/name/file-0.ts' })).toBe('allow');
  expect(bench('nonsense').go('read', { path: 'a' })).toBe('allow');
});

test('forgetting when what was changed makes everything older count as changed', () => {
  const { go } = bench();
  const a = { id: 'kept' };
  go('get', a);
  for (let index = 0; index < 70; index++) go('put', { id: `n${index}` });
  expect(go('get', a)).toBe('allow');
});

test('a decision takes microseconds', () => {
  const { ledger, go } = bench();
  for (let index = 0; index < 64; index++) go('read', { path: `src/file-${index}.ts` });
  for (let index = 0; index < 60; index++) go('write', { path: `out/file-${index}.ts` });
  const intents = Array.from({ length: 2000 }, (_, index) =>
    createIntent(
      'r',
      index,
      { tool: 'read_file', args: { path: `src/file-${index % 64}.ts` } },
      TOOLS.read,
      null,
      0,
    ),
  );
  const started = performance.now();
  for (const intent of intents) ledger.decide(intent, TOOLS.read, 'p');
  const micros = ((performance.now() - started) / intents.length) * 1000;
  console.log(`ledger decision: ${micros.toFixed(1)} µs`);
  expect(micros).toBeGreaterThan(0);
});
