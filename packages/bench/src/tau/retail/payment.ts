import type { Database } from '../database.ts';
import { writeJson } from '../python/json.ts';
import { add, asNumber, equals, lessThan, type PyNumber, round2, subtract } from '../python/number.ts';
import { append, contains, dictItem, elements, extend, first, item, length } from '../python/operations.ts';
import { str } from '../python/text.ts';
import type { PyDict, PyValue } from '../python/value.ts';
import type { ToolDefinition } from '../tool.ts';

export function transaction(type: string, amount: PyValue, methodId: PyValue): PyDict {
  return new Map<string, PyValue>([
    ['transaction_type', type],
    ['amount', amount],
    ['payment_method_id', methodId],
  ]);
}

/** The payment methods of the user whose order it is, for reading. */
export function methodsOf(db: Database, order: PyDict): PyDict {
  return dictItem(db.read('users', item(order, 'user_id')), 'payment_methods');
}

/** Adds to (or takes from) the balance of one of the user's payment methods and rounds it to two places. */
export function moveBalance(db: Database, order: PyDict, methodId: PyValue, amount: PyNumber): void {
  const user = db.edit('users', item(order, 'user_id'));
  const method = dictItem(dictItem(user, 'payment_methods'), str(methodId));
  method.set('balance', round2(add(asNumber(item(method, 'balance')) ?? 0n, amount)));
}

/** Whether the method is a gift card that holds less than the amount. */
export function isShort(method: PyValue, amount: PyValue): boolean {
  return item(method, 'source') === 'gift_card' && lessThan(item(method, 'balance'), amount);
}

function cancelOrder(db: Database, orderId: PyValue, reason: PyValue): string {
  if (!db.has('orders', orderId)) return 'Error: order not found';
  if (db.read('orders', orderId).get('status') !== 'pending')
    return 'Error: non-pending order cannot be cancelled';
  if (!contains(['no longer needed', 'ordered by mistake'], reason)) return 'Error: invalid reason';
  const order = db.edit('orders', orderId);
  const refunds: PyValue[] = [];
  for (const payment of elements(item(order, 'payment_history'))) {
    const [methodId, amount] = [item(payment, 'payment_method_id'), item(payment, 'amount')];
    refunds.push(transaction('refund', amount, methodId));
    if (contains(methodId, 'gift_card')) moveBalance(db, order, methodId, asNumber(amount) ?? 0n);
  }
  order.set('status', 'cancelled');
  order.set('cancel_reason', reason);
  extend(item(order, 'payment_history'), refunds);
  return writeJson(order);
}

function refusePayment(db: Database, order: PyDict, methodId: PyValue): string | undefined {
  const methods = methodsOf(db, order);
  if (!contains(methods, methodId)) return 'Error: payment method not found';
  const history = item(order, 'payment_history');
  if (length(history) > 1n || item(first(elements(history)), 'transaction_type') !== 'payment')
    return 'Error: there should be exactly one payment for a pending order';
  const payment = first(elements(history));
  if (equals(item(payment, 'payment_method_id'), methodId))
    return 'Error: the new payment method should be different from the current one';
  if (isShort(item(methods, methodId), item(payment, 'amount')))
    return 'Error: insufficient gift card balance to pay for the order';
  return undefined;
}

function modifyPayment(db: Database, orderId: PyValue, methodId: PyValue): string {
  if (!db.has('orders', orderId)) return 'Error: order not found';
  if (db.read('orders', orderId).get('status') !== 'pending')
    return 'Error: non-pending order cannot be modified';
  const refusal = refusePayment(db, db.read('orders', orderId), methodId);
  if (refusal !== undefined) return refusal;
  const order = db.edit('orders', orderId);
  const history = item(order, 'payment_history');
  const payment = first(elements(history));
  const [amount, oldId] = [item(payment, 'amount'), item(payment, 'payment_method_id')];
  append(history, transaction('payment', amount, methodId));
  append(history, transaction('refund', amount, oldId));
  const size = asNumber(amount) ?? 0n;
  if (item(item(methodsOf(db, order), methodId), 'source') === 'gift_card')
    moveBalance(db, order, methodId, subtract(0n, size));
  if (contains(oldId, 'gift_card')) moveBalance(db, order, oldId, size);
  return writeJson(order);
}

export const retailPaymentTools: readonly ToolDefinition[] = [
  {
    name: 'cancel_pending_order',
    className: 'CancelPendingOrder',
    parameters: ['order_id', 'reason'],
    effect: 'write',
    invoke: cancelOrder,
  },
  {
    name: 'modify_pending_order_payment',
    className: 'ModifyPendingOrderPayment',
    parameters: ['order_id', 'payment_method_id'],
    effect: 'write',
    invoke: modifyPayment,
  },
];
