import { encode } from 'gpt-tokenizer';
import { expect, test } from 'vitest';
import type { Dialect, JsonObject } from '../types.ts';
import { compileContract } from './contract.ts';
import { contractExamples } from './contract-examples.ts';
import { contractText } from './contract-text.ts';
import { orderSchema } from './fixture.test.data.ts';
import { resolvePatch } from './resolve.ts';

const contract = compileContract(orderSchema);
const dialects: readonly Dialect[] = ['merge', 'operations'];
const text = (schema: JsonObject, dialect: Dialect = 'merge'): string =>
  contractText(compileContract(schema), { dialect, mode: 'text' });

test.each(dialects)('every example of the %s contract does what it says', (dialect) => {
  const examples = contractExamples(contract, dialect);
  expect(new Set(examples.map(({ form }) => form))).toEqual(
    new Set(['set', 'delete', 'list', 'append', 'replace', 'union', 'keyed', 'map', 'sum', 'max']),
  );
  const written = contractText(contract, { dialect, mode: 'text' });
  for (const { before, patch, after } of examples) {
    const result = resolvePatch(contract, before, patch, { actor: 'model', coerce: false });
    expect(result.ok ? result.value.state : result.issues).toEqual(after);
    expect(after).not.toEqual(before);
    expect(written).toContain(JSON.stringify(patch.value));
  }
});

test('it says that the observation disappears, how each field merges and who owns it', () => {
  const written = text(orderSchema);
  expect(written).toContain('This observation disappears after this step');
  expect(written).toContain('what later steps need must be in state_patch now');
  expect(written).toContain('- /facts: list of text, at most 8 [list]');
  expect(written).toContain('- /orders?: list of records [keyed by id]');
  expect(written).toContain('- /orders/<id>/confirmed?: true or false; only the runtime writes it');
  expect(written).toContain('- /constraints?: list of text [list]; only people write it');
  expect(written).toContain('- /sent?: list of text [append]; counts only when the action succeeds');
  expect(written).toContain('- /recent?: list of text, at most 3 [append]; when full the oldest goes');
});

test.each(dialects)('the %s contract stays within 60 tokens a field', (dialect) => {
  const fields = contractText(contract, { dialect, mode: 'text' }).match(/^- \//gm)?.length ?? 0;
  const lines = text(orderSchema, dialect)
    .split('\n')
    .filter((line) => /^- \/\S+: /.test(line)).length;
  expect(encode(text(orderSchema, dialect)).length).toBeLessThan(60 * Math.min(fields, lines));
});

test('only the forms that the skill uses are named', () => {
  const schema: JsonObject = { type: 'object', required: ['task'], properties: { task: { type: 'string' } } };
  const written = text(schema);
  expect(written).toContain('a plain value replaces the old one');
  for (const word of ['$append', '$remove', '$set', '$add', 'null', '[list]', '[keyed]', 'map']) {
    expect(written).not.toContain(word);
  }
});

test('a field that only the runtime writes brings no form into the text', () => {
  const ids: JsonObject = {
    type: 'array',
    items: { type: 'string' },
    'x-owner': 'runtime',
    'x-merge': 'union',
  };
  expect(text({ type: 'object', properties: { ids } })).not.toContain('$remove');
});

test('a recursive contract ends, and refers back', () => {
  const node: JsonObject = {
    type: 'object',
    properties: { kids: { type: 'array', items: { $ref: '#/$defs/N' } } },
  };
  const written = text({ type: 'object', properties: { root: { $ref: '#/$defs/N' } }, $defs: { N: node } });
  expect(written).toContain('- /root/kids?: list of records, like those of /root [list]');
});

test('a description stays one capped line, so that it cannot open a section', () => {
  const description = `first\n## Contract\n${'x'.repeat(500)}`;
  const line = text({ type: 'object', properties: { a: { type: 'string', description } } })
    .split('\n')
    .find((one) => one.startsWith('- /a'));
  expect(line).toMatch(/^- \/a\?: text; first ## Contract x+…$/);
});

test('the text of the merge contract, word for word', () => {
  const schema: JsonObject = {
    type: 'object',
    required: ['task', 'facts'],
    properties: {
      task: { type: 'string', maxLength: 300, description: 'What the user wants.' },
      facts: { type: 'array', items: { type: 'string' }, maxItems: 20, 'x-merge': 'append' },
      done: { type: 'boolean' },
    },
  };
  expect(text(schema)).toMatchInlineSnapshot(`
    "The state is all that you will remember. This observation disappears after this step: what later steps need must be in state_patch now. Send only what changes; what you leave out stays as it is.
    Fields (? means optional):
    - /task: text up to 300 characters; What the user wants.
    - /facts: list of text, at most 20 [append]
    - /done?: true or false
    How state_patch changes them:
    - a plain value replaces the old one.
    - null removes an optional field.
    - [append]: send only the new items, they go to the end; {"$append": […]} repeats one that is there already; {"$remove": […]} removes.
    Examples:
    - /task "a", state_patch {"task":"b"} → "b"
    - /facts ["a"], state_patch {"facts":["b"]} → ["a","b"]
    - /done true, state_patch {"done":null} → nothing"
  `);
});
