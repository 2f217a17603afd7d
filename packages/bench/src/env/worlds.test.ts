import fc from 'fast-check';
import { expect, test } from 'vitest';
import { applyToRepo, createRepo, type Luck } from './repository/world.ts';
import { applyToShelves, createShelves } from './warehouse/world.ts';

const from = (words: string): fc.Arbitrary<string> => fc.constantFrom(...words.split(' '));
const sentence = (verbs: string, words: string): fc.Arbitrary<string> =>
  fc.tuple(from(verbs), fc.array(from(words), { maxLength: 3 })).map((parts) => parts.flat().join(' '));

/** Few names, so that most commands nearly fit and many do. */
const warehouse = fc.oneof(
  fc
    .tuple(from('Store Ship'), from('item_0 item_1 item_2'), from('shelf_0 shelf_1 shelf_2'))
    .map((words) => words.join(' ')),
  fc
    .tuple(
      from('item_0 item_1 item_2'),
      from('shelf_0 shelf_1 shelf_2'),
      from('shelf_0 shelf_1 shelf_2 shelf_500'),
    )
    .map((words) => `Move ${words.join(' ')}`),
  sentence('Store Ship Move Wait Throw', 'item_0 item_1 shelf_0 shelf_1 shelf_499 shelf_500 shelf_01'),
);

test('warehouse: a refused command changes nothing, an accepted one exactly its shelves', () => {
  fc.assert(
    fc.property(fc.array(warehouse, { minLength: 20, maxLength: 60 }), (commands) => {
      const shelves = createShelves();
      for (const [turn, command] of commands.entries()) {
        const before = [[...shelves.itemOn], [...shelves.shelfOf]];
        const held = shelves.itemOn.size;
        const { ok } = applyToShelves(
          shelves,
          shelves.shelfOf.has(`item_${turn % 3}`) ? null : `item_${turn % 3}`,
          command,
        );
        if (!ok) expect([[...shelves.itemOn], [...shelves.shelfOf]]).toEqual(before);
        const change = !ok ? 0 : command.startsWith('Store') ? 1 : command.startsWith('Ship') ? -1 : 0;
        expect(shelves.itemOn.size).toBe(held + change);
        for (const [shelf, item] of shelves.itemOn) expect(shelves.shelfOf.get(item)).toBe(shelf);
        expect(shelves.shelfOf.size).toBe(shelves.itemOn.size);
      }
    }),
    { numRuns: 150 },
  );
});

const branch = from('feature_1 feature_2 master');
const repository = fc.oneof(
  branch.map((name) => `Commit(${name}, a.ts)`),
  fc.tuple(from('CreatePR FixCI RunTests'), branch).map(([verb, name]) => `${verb}(${name})`),
  fc.nat(30).map((pr) => `Merge(#${pr})`),
  fc.tuple(fc.nat(30), branch).map(([turn, name]) => `CherryPick(c${turn}, ${name})`),
  fc.tuple(from('CreateRelease Rollback'), from('v1 v2 main')).map(([verb, name]) => `${verb}(${name})`),
  sentence('Commit Merge Wait toString', 'feature_1 1 v1'),
);

test('repository: a refused command changes nothing, and a merge leaves no passing CI result behind it', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(repository, fc.boolean()), { minLength: 20, maxLength: 60 }),
      (commands) => {
        const repo = createRepo();
        let pr = 0;
        for (const [turn, [command, unlucky]] of commands.entries()) {
          const before = structuredClone(repo);
          const luck: Luck = { commit: `c${turn}`, pr: ++pr, pushFails: unlucky, rerunFails: unlucky };
          const { ok, text } = applyToRepo(repo, luck, command);
          if (!ok) expect(repo).toEqual(before);
          if (!text.startsWith('Success: Merged')) continue;
          expect(repo.branches.size).toBe(before.branches.size - 1);
          for (const other of repo.branches.values())
            expect(other.pr !== null && other.ci === 'passing').toBe(false);
        }
      },
    ),
    { numRuns: 150 },
  );
});
