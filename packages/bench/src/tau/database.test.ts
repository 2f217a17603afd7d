import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openDatabase, sha256, takeSnapshot } from './database.ts';
import { canonicalText } from './python/text.ts';
import type { PyDict, PyValue } from './python/value.ts';

function record(n: number): PyDict {
  return new Map<string, PyValue>([['n', BigInt(n)]]);
}
function table(keys: readonly string[]): PyDict {
  return new Map<string, PyValue>(keys.map((key, i) => [key, record(i)]));
}

test('the hash after changes and additions is that of the whole database printed anew', () => {
  const keys = fc.uniqueArray(fc.string({ unit: 'grapheme', maxLength: 3 }), { maxLength: 6 });
  fc.assert(
    fc.property(keys, keys, keys, (orders, users, touched) => {
      const data = new Map([
        ['users', table(users)],
        ['orders', table(orders)],
      ]);
      const db = openDatabase(takeSnapshot(data));
      for (const key of touched) {
        if (db.has('orders', key)) db.edit('orders', key).set('n', -1n);
        else db.put('orders', key, record(99));
      }
      const whole: PyDict = new Map([
        ['orders', new Map(db.rows('orders'))],
        ['users', new Map(db.rows('users'))],
      ]);
      expect(db.hash()).toBe(sha256(canonicalText(whole)));
    }),
    { numRuns: 300 },
  );
});

test('editing copies the record: the snapshot and other episodes stay as they were', () => {
  const snapshot = takeSnapshot(new Map([['orders', table(['a', 'b'])]]));
  const [one, two] = [openDatabase(snapshot), openDatabase(snapshot)];
  one.edit('orders', 'a').set('n', 7n);
  expect(one.read('orders', 'a').get('n')).toBe(7n);
  expect(one.edit('orders', 'a')).toBe(one.read('orders', 'a'));
  expect(two.read('orders', 'a').get('n')).toBe(0n);
  expect(two.hash()).toBe(snapshot.hash);
  expect(() => one.read('orders', 'zz')).toThrow("'zz'");
  expect(() => one.has('orders', [])).toThrow("unhashable type: 'list'");
  expect(one.has('orders', 5n)).toBe(false);
});
