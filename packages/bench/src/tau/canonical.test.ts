import { expect, test } from 'vitest';
import { canonicalRecord, dictFromPlain, sameCall, type TauAction } from './tau.ts';

function call(name: string, kwargs: object): TauAction {
  return { name, kwargs: dictFromPlain(kwargs) };
}

test('P81: arguments declared as sets compare without order, duplicates counted', () => {
  const items = (ids: string[]) => call('return_delivered_order_items', { order_id: '#W1', item_ids: ids });
  expect(sameCall(items(['1', '2']), items(['2', '1']))).toBe(true);
  expect(sameCall(items(['1', '2']), items(['1', '1']))).toBe(false);
  expect(sameCall(items(['1', '1', '2']), items(['1', '2', '2']))).toBe(false);
  const people = (list: object[]) => call('update_reservation_passengers', { passengers: list });
  const [a, b] = [{ first_name: 'A' }, { first_name: 'B' }];
  expect(sameCall(people([a, b]), people([b, a]))).toBe(true);
  for (const name of ['passengers', 'payment_methods']) {
    const book = (list: object[]) => call('book_reservation', { [name]: list });
    expect(sameCall(book([a, b]), book([b, a]))).toBe(true);
  }
});

test('P81: item ids and new item ids are compared as pairs', () => {
  const swap = (ids: string[], news: string[]) =>
    call('exchange_delivered_order_items', { item_ids: ids, new_item_ids: news });
  expect(sameCall(swap(['1', '2'], ['8', '9']), swap(['2', '1'], ['9', '8']))).toBe(true);
  expect(sameCall(swap(['1', '2'], ['8', '9']), swap(['1', '2'], ['9', '8']))).toBe(false);
  expect(sameCall(swap(['1'], ['8', '9']), swap(['1'], ['9', '8']))).toBe(false);
});

test('P81: a list that is not declared is a sequence', () => {
  const fly = (numbers: string[]) =>
    call('update_reservation_flights', { flights: numbers.map((flight_number) => ({ flight_number })) });
  expect(sameCall(fly(['HAT001', 'HAT002']), fly(['HAT002', 'HAT001']))).toBe(false);
});

test('the order of keys and 1 against 1.0 do not count, the kinds of values do', () => {
  expect(sameCall(call('x', { a: 1, b: 2 }), call('x', { b: 2, a: 1 }))).toBe(true);
  expect(
    sameCall({ name: 'x', kwargs: new Map([['a', 1]]) }, { name: 'x', kwargs: new Map([['a', 1n]]) }),
  ).toBe(true);
  expect(sameCall(call('x', { a: '1' }), call('x', { a: 1 }))).toBe(false);
  expect(sameCall(call('x', { a: [] }), call('x', { a: {} }))).toBe(false);
  expect(sameCall(call('x', {}), call('y', {}))).toBe(false);
});

test('P81: records compare by the same kind of declaration', () => {
  const record = (ids: string[]) => dictFromPlain({ reservations: ids });
  expect(canonicalRecord('users', record(['A', 'B']))).toBe(canonicalRecord('users', record(['B', 'A'])));
  expect(canonicalRecord('flights', record(['A', 'B']))).not.toBe(
    canonicalRecord('flights', record(['B', 'A'])),
  );
});
