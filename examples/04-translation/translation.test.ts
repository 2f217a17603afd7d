import { expect, test } from 'vitest';
import { playArm } from './run.ts';
import { RUNTIME, type Variant, VARIANTS } from './arms/variants.ts';

function variant(name: string): Variant {
  const found = VARIANTS.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no variant ${name}`);
  return found;
}

test('this runtime ends at 6 of 6: one draft each, none ever published, the empty article confirmed as nothing to do', async () => {
  const row = await playArm(RUNTIME);
  expect(row).toMatchObject({
    right: 6,
    leftOver: 0,
    everPublished: 0,
    articlesMade: 5,
    refused: 0,
    end: 'finished',
  });
  expect(row.rejected).toMatchObject({
    'owner.runtime': 1,
    'action.unknown_argument': 1,
    'action.repeated': 1,
    'action.not_done': 1,
  });
  expect(row.busy).toBeGreaterThan(0);
});

test('state that commits on a 200 ends in the same faults: wrong, left over and published drafts, and calls it done', async () => {
  const row = await playArm('D');
  expect(row.end).toBe('finished');
  expect(row.right).toBeLessThan(6);
  expect(row.leftOver).toBeGreaterThan(0);
  expect(row.everPublished).toBeGreaterThan(0);
  expect(row.refused).toBeGreaterThan(0);
});

test('without the business key the article that is created again leaves drafts behind, and the run says so', async () => {
  const row = await playArm(variant('− business key'));
  expect(row.articlesMade).toBeGreaterThan(5);
  expect(row.leftOver).toBeGreaterThan(0);
  expect(row.end).toContain('needs_attention');
});

test('without the delimiter check one draft keeps its delimiter', async () => {
  const row = await playArm(variant('− delimiter check'));
  expect(row).toMatchObject({ right: 5, leftOver: 1, end: 'finished' });
});
