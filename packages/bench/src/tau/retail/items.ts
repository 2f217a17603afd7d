import type { Database } from '../database.ts';
import { writeJson } from '../python/json.ts';
import { absolute, add, equals, lessThan, type PyNumber, round2, subtract } from '../python/number.ts';
import { append, contains, countOf, elements, first, item, length, sorted } from '../python/operations.ts';
import { str } from '../python/text.ts';
import type { PyDict, PyValue } from '../python/value.ts';
import type { ToolDefinition } from '../tool.ts';
import { findVariant } from './find.ts';
import { isShort, methodsOf, moveBalance, transaction } from './payment.ts';

/** The first listed id that is asked for more often than the order has it, or undefined. */
function missingItem(order: PyDict, itemIds: PyValue): { id: PyValue } | undefined {
  const owned = elements(item(order, 'items')).map((entry) => item(entry, 'item_id'));
  for (const id of elements(itemIds)) if (countOf(itemIds, id) > countOf(owned, id)) return { id };
  return undefined;
}

function firstWithId(order: PyDict, id: PyValue): PyValue {
  return first(elements(item(order, 'items')).filter((entry) => equals(item(entry, 'item_id'), id)));
}

function pairs(a: PyValue, b: PyValue): [PyValue, PyValue][] {
  const others = elements(b);
  return elements(a)
    .slice(0, others.length)
    .map((value, i) => [value, others[i] ?? null]);
}

/** The unrounded difference to pay when each item becomes its new item, or the tool's error text. */
function priceDifference(db: Database, order: PyDict, itemIds: PyValue, newIds: PyValue): PyNumber | string {
  const missing = missingItem(order, itemIds);
  if (missing) return `Error: ${str(missing.id)} not found`;
  if (length(itemIds) !== length(newIds)) return 'Error: the number of items to be exchanged should match';
  let difference: PyNumber = 0n;
  for (const [id, newId] of pairs(itemIds, newIds)) {
    const entry = firstWithId(order, id);
    const variant = findVariant(db, item(entry, 'product_id'), newId);
    if (!variant || item(variant, 'available') !== true)
      return `Error: new item ${str(newId)} not found or available`;
    difference = add(difference, subtract(item(variant, 'price'), item(entry, 'price')));
  }
  return difference;
}

function exchangeItems(
  db: Database,
  orderId: PyValue,
  itemIds: PyValue,
  newIds: PyValue,
  methodId: PyValue,
): string {
  if (!db.has('orders', orderId)) return 'Error: order not found';
  const found = db.read('orders', orderId);
  if (found.get('status') !== 'delivered') return 'Error: non-delivered order cannot be exchanged';
  const unrounded = priceDifference(db, found, itemIds, newIds);
  if (typeof unrounded === 'string') return unrounded;
  const difference = round2(unrounded);
  const methods = methodsOf(db, found);
  if (!contains(methods, methodId)) return 'Error: payment method not found';
  if (isShort(item(methods, methodId), difference))
    return 'Error: insufficient gift card balance to pay for the price difference';
  const order = db.edit('orders', orderId);
  order.set('status', 'exchange requested');
  order.set('exchange_items', sorted(itemIds));
  order.set('exchange_new_items', sorted(newIds));
  order.set('exchange_payment_method_id', methodId);
  order.set('exchange_price_difference', difference);
  return writeJson(order);
}

function modifyItems(
  db: Database,
  orderId: PyValue,
  itemIds: PyValue,
  newIds: PyValue,
  methodId: PyValue,
): string {
  if (!db.has('orders', orderId)) return 'Error: order not found';
  const found = db.read('orders', orderId);
  if (found.get('status') !== 'pending') return 'Error: non-pending order cannot be modified';
  const difference = priceDifference(db, found, itemIds, newIds);
  if (typeof difference === 'string') return difference;
  const methods = methodsOf(db, found);
  if (!contains(methods, methodId)) return 'Error: payment method not found';
  const method = item(methods, methodId);
  if (isShort(method, difference)) return 'Error: insufficient gift card balance to pay for the new item';
  const order = db.edit('orders', orderId);
  const type = lessThan(0n, difference) ? 'payment' : 'refund';
  append(item(order, 'payment_history'), transaction(type, absolute(difference), methodId));
  if (item(method, 'source') === 'gift_card') moveBalance(db, order, methodId, -difference);
  for (const [id, newId] of pairs(itemIds, newIds)) replaceItem(db, order, id, newId);
  order.set('status', 'pending (item modified)');
  return writeJson(order);
}

/** Changes the first item that has the id at this moment, so that crossing swaps chain as in the original. */
function replaceItem(db: Database, order: PyDict, id: PyValue, newId: PyValue): void {
  const entry = firstWithId(order, id);
  if (!(entry instanceof Map)) throw new TypeError('an order holds an item that is no object');
  const variant = findVariant(db, item(entry, 'product_id'), newId) ?? item(new Map(), newId);
  entry.set('item_id', newId);
  entry.set('price', item(variant, 'price'));
  entry.set('options', item(variant, 'options'));
}

function returnItems(db: Database, orderId: PyValue, itemIds: PyValue, methodId: PyValue): string {
  if (!db.has('orders', orderId)) return 'Error: order not found';
  const found = db.read('orders', orderId);
  if (found.get('status') !== 'delivered') return 'Error: non-delivered order cannot be returned';
  if (!contains(methodsOf(db, found), methodId)) return 'Error: payment method not found';
  const paidWith = () => item(first(elements(item(found, 'payment_history'))), 'payment_method_id');
  if (!contains(methodId, 'gift_card') && !equals(methodId, paidWith()))
    return 'Error: payment method should be either the original payment method or a gift card';
  if (missingItem(found, itemIds)) return 'Error: some item not found';
  const order = db.edit('orders', orderId);
  order.set('status', 'return requested');
  order.set('return_items', sorted(itemIds));
  order.set('return_payment_method_id', methodId);
  return writeJson(order);
}

export const retailItemTools: readonly ToolDefinition[] = [
  {
    name: 'exchange_delivered_order_items',
    className: 'ExchangeDeliveredOrderItems',
    parameters: ['order_id', 'item_ids', 'new_item_ids', 'payment_method_id'],
    effect: 'write',
    invoke: exchangeItems,
  },
  {
    name: 'modify_pending_order_items',
    className: 'ModifyPendingOrderItems',
    parameters: ['order_id', 'item_ids', 'new_item_ids', 'payment_method_id'],
    effect: 'write',
    invoke: modifyItems,
  },
  {
    name: 'return_delivered_order_items',
    className: 'ReturnDeliveredOrderItems',
    parameters: ['order_id', 'item_ids', 'payment_method_id'],
    effect: 'write',
    invoke: returnItems,
  },
];
