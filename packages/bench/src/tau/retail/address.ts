import type { Database } from '../database.ts';
import { writeJson } from '../python/json.ts';
import type { PyDict, PyValue } from '../python/value.ts';
import type { ToolDefinition } from '../tool.ts';

const addressFields = ['address1', 'address2', 'city', 'state', 'country', 'zip'];

/** The new address, with its keys in the order of the parameters (not that of the loaded data). */
function addressOf(values: PyValue[]): PyDict {
  return new Map(addressFields.map((field, i) => [field, values[i] ?? null]));
}

function modifyOrderAddress(db: Database, orderId: PyValue, ...values: PyValue[]): string {
  if (!db.has('orders', orderId)) return 'Error: order not found';
  if (db.read('orders', orderId).get('status') !== 'pending')
    return 'Error: non-pending order cannot be modified';
  const order = db.edit('orders', orderId);
  order.set('address', addressOf(values));
  return writeJson(order);
}

function modifyUserAddress(db: Database, userId: PyValue, ...values: PyValue[]): string {
  if (!db.has('users', userId)) return 'Error: user not found';
  const user = db.edit('users', userId);
  user.set('address', addressOf(values));
  return writeJson(user);
}

export const retailAddressTools: readonly ToolDefinition[] = [
  {
    name: 'modify_pending_order_address',
    className: 'ModifyPendingOrderAddress',
    parameters: ['order_id', ...addressFields],
    effect: 'write',
    invoke: modifyOrderAddress,
  },
  {
    name: 'modify_user_address',
    className: 'ModifyUserAddress',
    parameters: ['user_id', ...addressFields],
    effect: 'write',
    invoke: modifyUserAddress,
  },
];
