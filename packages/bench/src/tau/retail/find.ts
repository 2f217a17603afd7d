import type { Database } from '../database.ts';
import { writeJson } from '../python/json.ts';
import { equals } from '../python/number.ts';
import { dictItem, item, lower } from '../python/operations.ts';
import { compareText, str } from '../python/text.ts';
import type { PyValue } from '../python/value.ts';
import type { ToolDefinition } from '../tool.ts';

function findByEmail(db: Database, email: PyValue): string {
  for (const [id, user] of db.rows('users')) if (lower(item(user, 'email')) === lower(email)) return id;
  return 'Error: user not found';
}

function findByName(db: Database, firstName: PyValue, lastName: PyValue, zip: PyValue): string {
  for (const [id, user] of db.rows('users')) {
    const name = item(user, 'name');
    const matches =
      lower(item(name, 'first_name')) === lower(firstName) &&
      lower(item(name, 'last_name')) === lower(lastName) &&
      equals(item(item(user, 'address'), 'zip'), zip);
    if (matches) return id;
  }
  return 'Error: user not found';
}

function details(table: string, noun: string): (db: Database, id: PyValue) => string {
  return (db, id) => (db.has(table, id) ? writeJson(db.read(table, id)) : `Error: ${noun} not found`);
}

function listProductTypes(db: Database): string {
  const ids = new Map<string, PyValue>();
  for (const [, product] of db.rows('products'))
    ids.set(str(item(product, 'name')), item(product, 'product_id'));
  return writeJson(new Map([...ids].sort((a, b) => compareText(a[0], b[0]))));
}

/** The item of a product that has this id, or undefined. Throws Python's errors for ids that cannot be keys. */
export function findVariant(
  db: Database,
  productId: PyValue,
  itemId: PyValue,
): ReturnType<typeof dictItem> | undefined {
  const variants = dictItem(db.read('products', productId), 'variants');
  if (typeof itemId === 'string') return variants.has(itemId) ? dictItem(variants, itemId) : undefined;
  if (itemId !== null && typeof itemId === 'object') item(variants, itemId);
  return undefined;
}

export const retailFindTools: readonly ToolDefinition[] = [
  {
    name: 'find_user_id_by_email',
    className: 'FindUserIdByEmail',
    parameters: ['email'],
    effect: 'read',
    invoke: findByEmail,
  },
  {
    name: 'find_user_id_by_name_zip',
    className: 'FindUserIdByNameZip',
    parameters: ['first_name', 'last_name', 'zip'],
    effect: 'read',
    invoke: findByName,
  },
  {
    name: 'get_order_details',
    className: 'GetOrderDetails',
    parameters: ['order_id'],
    effect: 'read',
    invoke: details('orders', 'order'),
  },
  {
    name: 'get_product_details',
    className: 'GetProductDetails',
    parameters: ['product_id'],
    effect: 'read',
    invoke: details('products', 'product'),
  },
  {
    name: 'get_user_details',
    className: 'GetUserDetails',
    parameters: ['user_id'],
    effect: 'read',
    invoke: details('users', 'user'),
  },
  {
    name: 'list_all_product_types',
    className: 'ListAllProductTypes',
    parameters: [],
    effect: 'read',
    invoke: listProductTypes,
  },
];
