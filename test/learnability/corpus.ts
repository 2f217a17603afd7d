import type { Dialect, Json, JsonObject, ReplyMode } from '@skillstate/runtime';

/** One reply in a shape that models produce, what must become of it, and what its author meant. */
export type Case = {
  readonly name: string;
  readonly reply: string;
  readonly mode?: ReplyMode;
  readonly dialect?: Dialect;
  readonly command?: boolean;
  readonly repairJson?: boolean;
  readonly finish?: 'stop' | 'length';
  /** Calls of `propose_transition` in tool mode; 1 by default. */
  readonly calls?: number;
  /** `code path` of every issue, in order; none: accepted. */
  readonly issues: readonly string[];
  /** What the author meant: members of the new state, and the action. Checked on acceptance, and after a retry. */
  readonly means?: { readonly state?: JsonObject; readonly action?: Json };
};

const fence = (json: string): string => `\`\`\`json\n${json}\n\`\`\``;
const reply = (patch: Json, action: Json = wait): string =>
  fence(JSON.stringify({ state_patch: patch, action }));
const wait = { tool: 'wait', args: {} };
const read = (id: string): JsonObject => ({ tool: 'read_order', args: { id } });
const ship: JsonObject = { tool: 'ship', args: { item: 'item_1', shelf: 'shelf_1' } };
const shipped = { inventory: {} };
const both = '"state_patch":{"count":3},"action":{"tool":"wait","args":{}}';
const counted = { state: { count: 3 }, action: wait };

/** Accepted as they are, some with a remark. */
const good: readonly Case[] = [
  {
    name: 'the paper form',
    reply: `Order 1 is next.\n${reply({ count: 3 }, read('o1'))}`,
    issues: [],
    means: { state: { count: 3 }, action: read('o1') },
  },
  { name: 'nothing changes', reply: reply({}), issues: [], means: { action: wait } },
  { name: 'bare object', reply: `{${both}}`, issues: [], means: counted },
  {
    name: 'trailing prose',
    reply: `${reply({ count: 3 })}\nThis waits for the customer [1], see {docs}.`,
    issues: [],
    means: counted,
  },
  {
    name: 'thinking with a draft',
    reply: `<think>Maybe ${reply({ count: 9 }, ship)} no.</think>\n${reply({ count: 3 })}`,
    issues: [],
    means: counted,
  },
  {
    name: 'thinking without its opening tag',
    reply: `count is 3, so {"state_patch":{"count":9}}</think>\n${reply({ count: 3 })}`,
    issues: [],
    means: counted,
  },
  { name: 'untagged fence', reply: `\`\`\`\n{${both}}\n\`\`\``, issues: [], means: counted },
  {
    name: 'a shell fence first',
    reply: `\`\`\`bash\nrm -rf build\n\`\`\`\n${reply({ count: 3 })}`,
    issues: [],
    means: counted,
  },
  { name: 'fence on one line', reply: `\`\`\`json {${both}} \`\`\``, issues: [], means: counted },
  {
    name: 'pretty printed',
    reply: fence(JSON.stringify({ state_patch: { count: 3 }, action: wait }, null, 2)),
    issues: [],
    means: counted,
  },
  {
    name: 'full state echo',
    reply: reply({
      task: 'export the orders',
      status: 'open',
      count: 3,
      due: '2026-03-09T00:00:00+01:00',
      facts: ['admin only', 'keep JSON API'],
      log: ['started'],
      tags: ['urgent'],
      orders: [
        { id: 'o1', status: 'new', items: 2 },
        { id: 'o2', status: 'paid', items: 1 },
      ],
      inventory: { shelf_1: 'item_1' },
      verified: { o2: true },
      limit: 100,
    }),
    issues: [],
    means: { state: { count: 3, log: ['started'] } },
  },
  { name: 'number as text', reply: reply({ count: '3' }), issues: [], means: counted },
  {
    name: 'boolean as text',
    reply: reply({ urgent: 'true' }),
    issues: [],
    means: { state: { urgent: true } },
  },
  {
    name: 'list as JSON text',
    reply: reply({ facts: '["admin only","keep JSON API","times in UTC"]' }),
    issues: [],
    means: { state: { facts: ['admin only', 'keep JSON API', 'times in UTC'] } },
  },
  {
    name: 'whole list with a new item',
    reply: reply({ facts: ['admin only', 'keep JSON API', 'times in UTC'] }),
    issues: [],
    means: { state: { facts: ['admin only', 'keep JSON API', 'times in UTC'] } },
  },
  {
    name: 'append: only the new item',
    reply: reply({ log: ['read o1'] }),
    issues: [],
    means: { state: { log: ['started', 'read o1'] } },
  },
  {
    name: 'append: the whole list and a tail',
    reply: reply({ log: ['started', 'read o1'] }),
    issues: [],
    means: { state: { log: ['started', 'read o1'] } },
  },
  {
    name: 'union: an item again',
    reply: reply({ tags: ['urgent', 'eu'] }),
    issues: [],
    means: { state: { tags: ['urgent', 'eu'] } },
  },
  {
    name: 'keyed: one changed record',
    reply: reply({ orders: [{ id: 'o1', status: 'paid' }] }),
    issues: [],
    means: {
      state: {
        orders: [
          { id: 'o1', status: 'paid', items: 2 },
          { id: 'o2', status: 'paid', items: 1 },
        ],
      },
    },
  },
  { name: 'sum by $add', reply: reply({ spent: { $add: 5 } }), issues: [], means: { state: { spent: 15 } } },
  {
    name: 'a list cut by $remove',
    reply: reply({ facts: { $remove: ['admin only'] } }),
    issues: [],
    means: { state: { facts: ['keep JSON API'] } },
  },
  {
    name: 'a list replaced by $set',
    reply: reply({ facts: { $set: ['times in UTC'] } }),
    issues: [],
    means: { state: { facts: ['times in UTC'] } },
  },
  {
    name: 'null deletes a member',
    reply: reply({ inventory: { shelf_1: null } }, ship),
    issues: [],
    means: { state: shipped, action: ship },
  },
  {
    name: 'null for a nullable field',
    reply: reply({ due: null }),
    issues: [],
    means: { state: { due: null } },
  },
  {
    name: 'null for a field that is absent',
    reply: reply({ notes: null, count: 3 }),
    issues: [],
    means: counted,
  },
  {
    name: 'reasoning inside the object',
    reply: fence(`{"reasoning":"two are paid",${both}}`),
    issues: [],
    means: counted,
  },
  {
    name: 'bare name of a tool without arguments',
    reply: reply({ count: 3 }, 'wait'),
    issues: [],
    means: counted,
  },
  { name: 'args left out', reply: reply({ count: 3 }, { tool: 'wait' }), issues: [], means: counted },
  {
    name: 'args as JSON text',
    reply: reply({ count: 3 }, { tool: 'read_order', args: '{"id":"o1"}' }),
    issues: [],
    means: { state: { count: 3 }, action: read('o1') },
  },
  {
    name: 'action as JSON text',
    reply: reply({ count: 3 }, '{"tool":"read_order","args":{"id":"o1"}}'),
    issues: [],
    means: { state: { count: 3 }, action: read('o1') },
  },
  { name: 'patch as JSON text', reply: reply('{"count":3}'), issues: [], means: counted },
  {
    name: 'argument number as text',
    reply: reply({}, { tool: 'refund', args: { order: 'o2', amount: '5' } }),
    issues: [],
    means: { action: { tool: 'refund', args: { order: 'o2', amount: 5 } } },
  },
  {
    name: 'backticks inside a value',
    reply: reply({ notes: 'call `sync()` in ```js``` mode' }),
    issues: [],
    means: { state: { notes: 'call `sync()` in ```js``` mode' } },
  },
  {
    name: 'a tag inside a value',
    reply: reply({ notes: 'the <think> tag, {braces}' }),
    issues: [],
    means: { state: { notes: 'the <think> tag, {braces}' } },
  },
  {
    name: 'a command string',
    command: true,
    reply: reply({ count: 3 }, 'read_order o1'),
    issues: [],
    means: { action: { tool: 'run', args: { command: 'read_order o1' } } },
  },
  {
    name: 'a tool call in a command skill',
    command: true,
    reply: reply({ count: 3 }),
    issues: [],
    means: counted,
  },
  { name: 'a tool call', mode: 'tool', reply: `{${both}}`, issues: [], means: counted },
  {
    name: 'a tool call encoded twice',
    mode: 'tool',
    reply: JSON.stringify(`{${both}}`),
    issues: [],
    means: counted,
  },
  { name: 'structured output', mode: 'structured', reply: `{${both}}`, issues: [], means: counted },
  {
    name: 'structured output behind thinking',
    mode: 'structured',
    reply: `<think>{}</think>{${both}}`,
    issues: [],
    means: counted,
  },
  {
    name: 'operations',
    dialect: 'operations',
    reply: reply([{ op: 'set', path: '/count', value: 3 }]),
    issues: [],
    means: counted,
  },
  {
    name: 'operations: add to a list',
    dialect: 'operations',
    reply: reply([{ op: 'add', path: '/facts', value: 'times in UTC' }]),
    issues: [],
    means: { state: { facts: ['admin only', 'keep JSON API', 'times in UTC'] } },
  },
  {
    name: 'operations: no operation',
    dialect: 'operations',
    reply: reply([]),
    issues: [],
    means: { action: wait },
  },
  {
    name: 'slips with repair on',
    repairJson: true,
    reply: fence(`{\n // next\n 'state_patch': {'count': 3,},\n "action": {"tool": "wait", "args": {}},\n}`),
    issues: [],
    means: counted,
  },
];

const stop = 'syntax';

/** Refused for their form. */
const form: readonly Case[] = [
  {
    name: 'two fences',
    reply: `${reply({ count: 9 }, ship)}\nNo, better:\n${reply({ count: 3 })}`,
    issues: [`${stop}.two_candidates`],
    means: counted,
  },
  {
    name: 'a bare draft before the fence',
    reply: `First {"state_patch":{"count":9},"action":"x"} but\n${reply({ count: 3 })}`,
    issues: [`${stop}.two_candidates`],
    means: counted,
  },
  {
    name: 'patch and action in two fences',
    reply: `${fence('{"state_patch":{"count":3}}')}\n${fence('{"action":{"tool":"wait","args":{}}}')}`,
    issues: [`${stop}.two_candidates`],
    means: counted,
  },
  {
    name: 'a fence of another language',
    reply: `\`\`\`python\n{${both}}\n\`\`\``,
    issues: [`${stop}.no_transition`],
    means: counted,
  },
  {
    name: 'all inside thinking',
    reply: `<think>${reply({ count: 3 })}`,
    issues: [`${stop}.no_transition`],
    means: counted,
  },
  {
    name: 'prose alone',
    reply: 'I have read the order and will wait for the customer.',
    issues: [`${stop}.no_transition`],
    means: { action: wait },
  },
  { name: 'an empty reply', reply: '', issues: [`${stop}.no_transition`] },
  {
    name: 'action in ReAct form',
    reply: 'Thought: wait for the customer.\nAction: wait',
    issues: [`${stop}.no_transition`],
    means: { action: wait },
  },
  {
    name: 'wrapped in another key',
    reply: fence(`{"transition":{${both}}}`),
    issues: [`${stop}.wrapped /transition`],
    means: counted,
  },
  {
    name: 'wrapped in response',
    reply: fence(`{"response":{${both}},"status":"ok"}`),
    issues: [`${stop}.wrapped /response`],
    means: counted,
  },
  { name: 'in a list', reply: fence(`[{${both}}]`), issues: [`${stop}.not_object`], means: counted },
  {
    name: 'no patch',
    reply: fence('{"action":{"tool":"wait","args":{}}}'),
    issues: [`${stop}.missing_key /state_patch`],
    means: { action: wait },
  },
  {
    name: 'no action',
    reply: fence('{"state_patch":{"count":3}}'),
    issues: [`${stop}.missing_key /action`],
    means: { state: { count: 3 } },
  },
  {
    name: 'the state alone',
    reply: fence('{"count":3}'),
    issues: [`${stop}.extra_key /count`, `${stop}.missing_key /state_patch`, `${stop}.missing_key /action`],
    means: { state: { count: 3 } },
  },
  {
    name: 'state fields beside the action',
    reply: fence('{"count":3,"action":{"tool":"wait","args":{}}}'),
    issues: [`${stop}.extra_key /count`, `${stop}.missing_key /state_patch`],
    means: counted,
  },
  {
    name: 'another name for the patch',
    reply: fence('{"patch":{"count":3},"action":{"tool":"wait","args":{}}}'),
    issues: [`${stop}.extra_key /patch`],
    means: counted,
  },
  {
    name: 'camel case',
    reply: fence('{"statePatch":{"count":3},"action":{"tool":"wait","args":{}}}'),
    issues: [`${stop}.extra_key /statePatch`],
    means: counted,
  },
  {
    name: 'extra top keys',
    reply: fence(`{"confidence":0.9,"thought":"ok",${both}}`),
    issues: [`${stop}.extra_key /confidence`, `${stop}.extra_key /thought`],
    means: counted,
  },
  {
    name: 'tool and args at the top',
    reply: fence('{"state_patch":{"count":3},"tool":"wait","args":{}}'),
    issues: [`${stop}.extra_key /tool`, `${stop}.extra_key /args`, `${stop}.missing_key /action`],
    means: counted,
  },
  {
    name: 'null patch',
    reply: reply(null),
    issues: [`${stop}.patch_form /state_patch`],
    means: { action: wait },
  },
  {
    name: 'JSON Patch where merge was asked',
    reply: reply([{ op: 'replace', path: '/count', value: 3 }]),
    issues: [`${stop}.patch_form /state_patch`],
    means: counted,
  },
  {
    name: 'a sentence as the patch',
    reply: reply('count is now 3'),
    issues: [`${stop}.patch_form /state_patch`],
  },
  {
    name: 'trailing comma',
    reply: fence('{"state_patch":{"count":3,},"action":{"tool":"wait","args":{}}}'),
    issues: [`${stop}.json`],
    means: counted,
  },
  {
    name: 'single quotes',
    reply: fence("{'state_patch':{'count':3},'action':{'tool':'wait','args':{}}}"),
    issues: [`${stop}.json`],
    means: counted,
  },
  {
    name: 'comments',
    reply: fence(`{"state_patch":{"count":3}, // done\n"action":{"tool":"wait","args":{}}}`),
    issues: [`${stop}.json`],
    means: counted,
  },
  {
    name: 'Python words',
    reply: fence('{"state_patch":{"urgent":True},"action":{"tool":"wait","args":{}}}'),
    issues: [`${stop}.json`],
    means: { state: { urgent: true } },
  },
  {
    name: 'a line break inside a text',
    reply: fence('{"state_patch":{"notes":"a\nb"},"action":{"tool":"wait","args":{}}}'),
    issues: [`${stop}.json`],
    means: { state: { notes: 'a\nb' } },
  },
  {
    name: 'unquoted keys',
    reply: fence('{state_patch: {count: 3}, action: {tool: "wait", args: {}}}'),
    issues: [`${stop}.json`],
    means: counted,
  },
  {
    name: 'one bracket short',
    reply: fence('{"state_patch":{"count":3},"action":{"tool":"wait","args":{}}'),
    issues: [`${stop}.json`],
    means: counted,
  },
  {
    name: 'cut off at the cap',
    finish: 'length',
    reply: '```json\n{"state_patch":{"count":3,"notes":"a very long te',
    issues: [`${stop}.truncated`],
  },
  {
    name: 'complete but at the cap',
    finish: 'length',
    reply: reply({ count: 3 }),
    issues: [`${stop}.truncated`],
    means: counted,
  },
  {
    name: 'a repeated key at the top',
    reply: fence(
      '{"state_patch":{"count":3},"action":{"tool":"wait","args":{}},"action":{"tool":"wait","args":{}}}',
    ),
    issues: [`${stop}.duplicate_key /action`],
    means: counted,
  },
  {
    name: 'a repeated key in the patch',
    reply: fence('{"state_patch":{"count":2,"count":3},"action":{"tool":"wait","args":{}}}'),
    issues: [`${stop}.duplicate_key /state_patch/count`],
    means: counted,
  },
  {
    name: 'a prototype key',
    reply: fence('{"state_patch":{"__proto__":{"a":1},"count":3},"action":{"tool":"wait","args":{}}}'),
    issues: [`${stop}.forbidden_key /state_patch/__proto__`],
    means: counted,
  },
  {
    name: 'tool mode: no call',
    mode: 'tool',
    calls: 0,
    reply: reply({ count: 3 }),
    issues: [`${stop}.no_transition`],
    means: counted,
  },
  {
    name: 'tool mode: two calls',
    mode: 'tool',
    calls: 2,
    reply: `{${both}}`,
    issues: [`${stop}.two_candidates`],
    means: counted,
  },
  {
    name: 'tool mode: malformed',
    mode: 'tool',
    reply: '{"state_patch":{"count":3,},"action":{"tool":"wait","args":{}}}',
    issues: [`${stop}.json`],
    means: counted,
  },
];

/** Refused for the action. */
const actions: readonly Case[] = [
  {
    name: 'a command where a call is wanted',
    reply: reply({}, 'read_order o1'),
    issues: [`${stop}.action_form /action`],
    means: { action: read('o1') },
  },
  {
    name: 'function call syntax',
    reply: reply({}, 'read_order(id="o1")'),
    issues: [`${stop}.action_form /action`],
    means: { action: read('o1') },
  },
  {
    name: 'bare name of a tool that needs arguments',
    reply: reply({}, 'read_order'),
    issues: [`${stop}.action_form /action`],
  },
  {
    name: 'name and arguments',
    reply: reply({}, { name: 'read_order', arguments: { id: 'o1' } }),
    issues: [`${stop}.extra_key /action/name`, `${stop}.extra_key /action/arguments`],
    means: { action: read('o1') },
  },
  {
    name: 'type and parameters',
    reply: reply({}, { type: 'read_order', parameters: { id: 'o1' } }),
    issues: [`${stop}.extra_key /action/type`, `${stop}.extra_key /action/parameters`],
    means: { action: read('o1') },
  },
  {
    name: 'the tool as a key',
    reply: reply({}, { read_order: { id: 'o1' } }),
    issues: [`${stop}.action_form /action/read_order`],
    means: { action: read('o1') },
  },
  {
    name: 'arguments beside the tool',
    reply: reply({}, { tool: 'read_order', id: 'o1' }),
    issues: [`${stop}.extra_key /action/id`],
    means: { action: read('o1') },
  },
  {
    name: 'arguments as a list',
    reply: reply({}, { tool: 'read_order', args: ['o1'] }),
    issues: [`${stop}.action_form /action/args`],
    means: { action: read('o1') },
  },
  {
    name: 'two actions',
    reply: reply({}, [read('o1'), read('o2')]),
    issues: [`${stop}.action_form /action`],
    means: { action: read('o1') },
  },
  {
    name: 'no action: null',
    reply: reply({ count: 3 }, null),
    issues: [`${stop}.action_form /action`],
    means: counted,
  },
  { name: 'an empty command', command: true, reply: reply({}, ''), issues: [`${stop}.action_form /action`] },
  {
    name: 'an invented tool',
    reply: reply({}, { tool: 'readOrder', args: { id: 'o1' } }),
    issues: ['action.unknown_tool /action/tool'],
    means: { action: read('o1') },
  },
  {
    name: 'an invented argument',
    reply: reply({}, { tool: 'read_order', args: { id: 'o1', verbose: true } }),
    issues: ['action.unknown_argument /action/args/verbose'],
    means: { action: read('o1') },
  },
  {
    name: 'a misspelt argument',
    reply: reply({}, { tool: 'read_order', args: { ids: 'o1' } }),
    issues: ['action.unknown_argument /action/args/ids', 'action.missing_argument /action/args/id'],
    means: { action: read('o1') },
  },
  {
    name: 'an argument of the wrong type',
    reply: reply({}, { tool: 'refund', args: { order: 'o2', amount: '5 EUR' } }),
    issues: ['action.argument /action/args/amount'],
    means: { action: { tool: 'refund', args: { order: 'o2', amount: 5 } } },
  },
];

/** Refused for what the patch would do to the state. */
const patches: readonly Case[] = [
  {
    name: 'only the new item of a list',
    reply: reply({ facts: ['times in UTC'] }),
    issues: ['overwrite.dropped_items /facts'],
    means: { state: { facts: ['admin only', 'keep JSON API', 'times in UTC'] } },
  },
  {
    name: 'one item where a list is',
    reply: reply({ facts: 'times in UTC' }),
    issues: ['overwrite.type_replaced /facts'],
    means: { state: { facts: ['admin only', 'keep JSON API', 'times in UTC'] } },
  },
  {
    name: 'append: part of the list again',
    reply: reply({ log: ['read o1', 'started'] }),
    issues: ['overwrite.partly_restated /log'],
    means: { state: { log: ['started', 'read o1'] } },
  },
  {
    name: 'a running sum replaced',
    reply: reply({ spent: 15 }),
    issues: ['overwrite.sum_replaced /spent'],
    means: { state: { spent: 15 } },
  },
  {
    name: 'null for a required field',
    reply: reply({ count: null, status: 'done' }),
    issues: ['overwrite.null_required /count'],
    means: { state: { count: 2, status: 'done' } },
  },
  {
    name: 'an object replaced by a list',
    reply: reply({ inventory: ['item_1'] }),
    issues: ['overwrite.type_replaced /inventory'],
  },
  {
    name: 'an unknown key',
    reply: reply({ taskk: 'export', count: 3 }),
    issues: ['schema.unknown_key /taskk'],
    means: { state: { task: 'export', count: 3 } },
  },
  {
    name: 'an unknown key of another kind',
    reply: reply({ customer_email: 'a@b.c', count: 3 }),
    issues: ['schema.unknown_key /customer_email'],
    means: counted,
  },
  {
    name: 'the state inside a key',
    reply: reply({ state: { count: 3 } }),
    issues: ['schema.unknown_key /state'],
    means: counted,
  },
  {
    name: 'a value outside the enum',
    reply: reply({ status: 'Done' }),
    issues: ['schema.enum /status'],
    means: { state: { status: 'done' } },
  },
  { name: 'a word for a number', reply: reply({ count: 'three' }), issues: ['schema.type /count'] },
  {
    name: 'a number with a unit',
    reply: reply({ count: '3 orders' }),
    issues: ['schema.type /count'],
    means: counted,
  },
  {
    name: 'a number where text is wanted',
    reply: reply({ notes: 7 }),
    issues: ['schema.type /notes'],
    means: { state: { notes: '7' } },
  },
  {
    name: 'a date that is none',
    reply: reply({ due: 'tomorrow', count: 3 }),
    issues: ['schema.format /due'],
    means: { state: { count: 3 } },
  },
  { name: 'a negative count', reply: reply({ count: -1 }), issues: ['schema.range /count'] },
  {
    name: 'a record without its key',
    reply: reply({ orders: [{ status: 'paid' }], count: 3 }),
    issues: ['schema.required /orders/0'],
    means: { state: { count: 3 } },
  },
  {
    name: 'a new record without a required member',
    reply: reply({ orders: [{ id: 'o3', items: 1 }] }),
    issues: ['schema.required /orders/2/status'],
    means: { state: {} },
  },
  {
    name: 'a runtime-owned field',
    reply: reply({ verified: { o1: true }, count: 3 }),
    issues: ['owner.runtime /verified/o1'],
    means: counted,
  },
  {
    name: 'a user-owned field',
    reply: reply({ limit: 200, count: 3 }),
    issues: ['owner.user /limit'],
    means: counted,
  },
  {
    name: 'a text that is too long',
    reply: reply({ notes: 'x'.repeat(80) }),
    issues: ['bound.field /notes'],
  },
  {
    name: 'a misspelt form',
    reply: reply({ facts: { $push: ['times in UTC'] } }),
    issues: ['syntax.form /facts'],
    means: { state: { facts: ['admin only', 'keep JSON API', 'times in UTC'] } },
  },
  {
    name: 'operations: replace',
    dialect: 'operations',
    reply: reply([{ op: 'replace', path: '/count', value: 3 }]),
    issues: ['syntax.op /count'],
    means: counted,
  },
  {
    name: 'operations: a path without its slash',
    dialect: 'operations',
    reply: reply([{ op: 'set', path: 'count', value: 3 }]),
    issues: ['syntax.path count'],
    means: counted,
  },
  {
    name: 'operations: a merge object',
    dialect: 'operations',
    reply: reply({ count: 3 }),
    issues: [`${stop}.patch_form /state_patch`],
    means: counted,
  },
  {
    name: 'operations: one outside a list',
    dialect: 'operations',
    reply: reply({ op: 'set', path: '/count', value: 3 }),
    issues: [`${stop}.patch_form /state_patch`],
    means: counted,
  },
  {
    name: 'many problems at once',
    reply: reply({ status: 'closed', count: 'x', limit: 1 }, { tool: 'reed_order', args: {} }),
    issues: [
      'owner.user /limit',
      'schema.enum /status',
      'schema.type /count',
      'action.unknown_tool /action/tool',
    ],
  },
];

export const corpus: readonly Case[] = [...good, ...form, ...actions, ...patches];
