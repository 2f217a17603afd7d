import { expect, test } from 'vitest';
import { parseCall } from './arm.ts';

test('a command is a name with its arguments in JSON, in the forms that models use', () => {
  const wanted = { ok: true, value: { tool: 'get_order_details', args: { order_id: '#W1' } } };
  for (const command of [
    'get_order_details {"order_id": "#W1"}',
    'get_order_details({"order_id": "#W1"})',
    '{"tool": "get_order_details", "args": {"order_id": "#W1"}}',
    '{"name": "get_order_details", "arguments": {"order_id": "#W1"}}',
  ])
    expect(parseCall(command)).toEqual(wanted);
  expect(parseCall('list_all_product_types')).toEqual({
    ok: true,
    value: { tool: 'list_all_product_types', args: {} },
  });
  expect(parseCall('respond {"content": "a (b) {c}"}')).toMatchObject({
    value: { args: { content: 'a (b) {c}' } },
  });
});

test('what is no such command is refused with the form that is wanted', () => {
  for (const command of ['', 'respond hello', 'f {"a": }', '{"a": 1}', 'f [1]', 'two words {}'])
    expect(parseCall(command)).toMatchObject({ ok: false, issues: [{ code: 'syntax.action_form' }] });
});
