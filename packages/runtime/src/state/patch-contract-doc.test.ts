import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Json, JsonObject, Operation } from '../types.ts';
import { accepted, merge, operate, refused } from './fixture.test.data.ts';

const page = readFileSync(new URL('../../../../docs/patch-contract.md', import.meta.url), 'utf8');
const blocks = [...page.matchAll(/^```json (\w+)\n([\s\S]*?)^```$/gm)].map(([, kind = '', body = '']) => ({
  kind,
  body,
  value: JSON.parse(body) as Json,
}));
const named = (kind: string): JsonObject => blocks.find((block) => block.kind === kind)?.value as JsonObject;
const trial = { schema: named('schema'), state: named('state') };
const examples = blocks.flatMap((block, i) => {
  const next = blocks[i + 1];
  return block.kind === 'merge' || block.kind === 'operations' ? [{ block, next }] : [];
});

test('the page has an outcome for each of its examples', () => {
  expect(examples.length).toBeGreaterThan(25);
  expect(blocks).toHaveLength(2 + 2 * examples.length);
});

test.each(examples.map(({ block, next }) => [block.body.trim(), block, next] as const))(
  'the page is right about %s',
  (_, block, next) => {
    const result =
      block.kind === 'merge'
        ? merge(block.value as JsonObject, trial)
        : operate(block.value as unknown as Operation[], trial);
    if (next?.kind === 'refused') {
      expect(refused(result).toSorted()).toEqual((next.value as readonly string[]).toSorted());
      return;
    }
    expect(next?.kind).toBe('gives');
    const changed = Object.entries(next?.value as JsonObject);
    const expected = Object.fromEntries(
      [...Object.entries(trial.state), ...changed].filter(([, value]) => value !== '(gone)'),
    );
    for (const [key, value] of changed) if (value === '(gone)') delete expected[key];
    expect(accepted(result).state).toEqual(expected);
  },
);

test('the page lists every code that a patch can be refused with', () => {
  const source = [
    'merge',
    'merge-list',
    'operations',
    'explain',
    'bounds',
    'owner',
    'reserved',
    'resolve',
    'form',
  ];
  for (const name of source) {
    const text = readFileSync(new URL(`./${name}.ts`, import.meta.url), 'utf8');
    for (const [code = ''] of text.matchAll(/(?<=')(overwrite|bound|syntax|owner)\.\w+(?=')/g)) {
      const [group, rest] = code.split('.');
      expect([name, code, page.includes(`\`${code}\``) || page.includes(`\`.${rest}\``)]).toEqual([
        name,
        code,
        true,
      ]);
      expect(page).toContain(`\`${group}.`);
    }
  }
});
