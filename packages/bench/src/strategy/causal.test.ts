import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type CausalModel, createCausalSurprise } from './causal.ts';
import { bitsOf, loadCausalModel, speller } from './transformers-js.ts';

/** A model by formula: a token costs the sum of what stands before it, times its own code, in the least significant digits. */
function formula(window: number, start: number | null): CausalModel & { longest: number } {
  const model = {
    name: 'formula',
    window,
    vocabulary: 65_536,
    start,
    longest: 0,
    tokens: (text: string) => Array.from(text, (char) => char.charCodeAt(0)),
    bits(tokens: readonly number[], from: number) {
      model.longest = Math.max(model.longest, tokens.length);
      const before = (i: number): number => tokens[from + i - 1] ?? Number.NaN;
      return Promise.resolve(tokens.slice(from).map((token, i) => (token * (before(i) + 1)) % 97));
    },
  };
  return model;
}

/** The same by hand, for a model that looks back by one token. */
function byHand(text: string, start: number | null): number[] {
  const tokens = Array.from(text, (char) => char.charCodeAt(0));
  return tokens.map((token, i) => {
    const before = i === 0 ? start : tokens[i - 1];
    return before === null || before === undefined ? 16 : (token * (before + 1)) % 97;
  });
}

const words = fc.array(
  fc.string({ minLength: 1, maxLength: 9, unit: fc.constantFrom('a', 'b', 'é', '_', '7') }),
  { minLength: 1, maxLength: 40 },
);

test('every token is scored once, under the token before it, and belongs to one word', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(words, { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 2, max: 33 }),
      fc.option(fc.constant(7)),
      async (parts, window, start) => {
        const model = formula(window, start);
        const surprise = createCausalSurprise(model);
        const got: number[] = [];
        for (const part of parts) got.push(...(await surprise.read(part)));
        const all = parts.flat();
        const tokens = byHand(all.join(' '), start);
        let from = 0;
        const wanted = all.map((word, i) => {
          const length = word.length + (i === 0 ? 0 : 1);
          const sum = tokens.slice(from, from + length).reduce((a, b) => a + b, 0);
          from += length;
          return sum;
        });
        expect(got).toEqual(wanted);
        expect(model.longest).toBeLessThanOrEqual(window);
      },
    ),
    { numRuns: 150 },
  );
});

test('bits are those of the softmax, whatever the size of the logits', () => {
  const logits = Float32Array.of(9, 9, 9, 1, 2, 3, 4, 9);
  const total = Math.exp(1) + Math.exp(2) + Math.exp(3) + Math.exp(4);
  expect(bitsOf(logits, 3, 4, 2)).toBeCloseTo(-Math.log2(Math.exp(3) / total), 10);
  const huge = Float32Array.of(5_000, 5_000, -5_000);
  expect(bitsOf(huge, 0, 3, 0)).toBeCloseTo(1, 6);
  expect(bitsOf(huge, 0, 3, 2)).toBeGreaterThan(10_000);
});

test('a library that is not installed is said, with what to do', async () => {
  expect(await loadCausalModel('/nowhere')).toMatchObject({
    ok: false,
    issues: [{ code: 'model.causal_library', hint: expect.stringContaining('npm install') as string }],
  });
});

test.each([
  ["require('no-such-binding')", 'no-such-binding'],
  ['module.exports = {}', 'AutoModelForCausalLM'],
])('a library that is there and broken is said as that, with what to do: %s', async (source, why) => {
  const folder = mkdtempSync(join(tmpdir(), 'skillstate-library-'));
  const library = join(folder, 'node_modules/@huggingface/transformers');
  mkdirSync(library, { recursive: true });
  writeFileSync(join(library, 'package.json'), '{"version":"4.0.0","main":"main.cjs"}');
  writeFileSync(join(library, 'main.cjs'), source);
  const loaded = await loadCausalModel('./tiny', folder);
  rmSync(folder, { recursive: true });
  expect(loaded).toMatchObject({ ok: false, issues: [{ code: 'model.causal_library' }] });
  const [issue] = loaded.ok ? [] : loaded.issues;
  expect(issue?.hint).toContain(why);
  expect(issue?.hint).toMatch(/cannot be loaded.*npm install/);
});

test('a tokenizer that adds a space before every text is not given another', () => {
  const keeping = (text: string): string[] => text.match(/ ?[a-z]+| /g) ?? [];
  const adding = (text: string): string[] => keeping(` ${text}`);
  const addingOne = (text: string): string[] => keeping(` ${text.trimStart()}`);
  const without = (text: string): string[] => text.match(/[a-z]+/g) ?? [];
  for (const spell of [keeping, adding, addingOne, without]) {
    const tokens = speller((text) => spell(text).map(codeOf));
    expect([tokens('to'), tokens(' be'), tokens(' or')].flat()).toEqual(spell('to be or').map(codeOf));
  }
});

function codeOf(piece: string): number {
  return Array.from(piece).reduce((code, char) => code * 131 + char.charCodeAt(0), 7);
}
