import { expect, test } from 'vitest';
import { bestPart, searchTerms } from './search.ts';

test('a query is its words, then its words without punctuation', () => {
  expect(searchTerms('  ')).toEqual([]);
  expect(searchTerms('hello')).toEqual([{ long: ['hello'], short: [] }]);
  expect(searchTerms('"facts: a')).toEqual([
    { long: ['"facts:'], short: ['a'] },
    { long: ['facts'], short: ['a'] },
  ]);
  expect(searchTerms('***')).toEqual([{ long: ['***'], short: [] }]);
});

test('the excerpt is one line around the hit and names the part that holds it', () => {
  const parts = [
    { handle: null, text: 'nothing' },
    { handle: 'p-1', text: `${'x '.repeat(200)}the\nNeedle${' y'.repeat(200)}` },
  ];
  const best = bestPart(parts, { long: ['needle'], short: [] });
  expect(best.handle).toBe('p-1');
  expect(best.excerpt).toMatch(/^….*the Needle.*…$/);
});
