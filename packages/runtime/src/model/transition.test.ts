import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ModelReply, Skill, ToolSpec } from '../types.ts';
import { parseTransition, type ReplyContext, refusedFragment, REPLY_LIMIT } from './transition.ts';

const tool = (name: string, required: readonly string[] = []): ToolSpec => ({
  name,
  description: name,
  inputSchema: { type: 'object', properties: {}, required },
  outputSchema: null,
  readOnly: false,
  idempotent: false,
  destructive: false,
  timeoutMs: 1000,
  declaration: {},
});

const skill = (command: string | null, repairJson = false): Skill =>
  ({ actions: { command }, repairJson }) as unknown as Skill;

const tools = [tool('finish'), tool('ship', ['item']), tool('wait')];
const commands: ReplyContext = { skill: skill('run'), tools, mode: 'text', dialect: 'merge' };
const calls: ReplyContext = { ...commands, skill: skill(null) };

type Answer = ModelReply & { ok: true };
const usage = {
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  source: 'none',
} as const;
const said = (text: string, more: Partial<Answer> = {}): Answer => ({
  ok: true,
  text,
  json: null,
  calls: 0,
  finish: 'stop',
  usage,
  retries: [],
  ...more,
});
const called = (json: string | null, count = 1, text = ''): Answer => said(text, { json, calls: count });

function accepted(reply: Answer, context: ReplyContext = commands) {
  const parsed = parseTransition(reply, context);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return parsed.value;
}
function issues(reply: Answer, context: ReplyContext = commands): string[] {
  const parsed = parseTransition(reply, context);
  return parsed.ok ? ['accepted'] : parsed.issues.map(({ code, path }) => `${code} ${path}`.trim());
}
function hint(reply: Answer, context: ReplyContext = commands): string {
  const parsed = parseTransition(reply, context);
  return parsed.ok ? 'accepted' : parsed.issues.map((issue) => issue.hint).join('\n');
}
const fenced = (json: string): string => `\`\`\`json\n${json}\n\`\`\``;
const step = '{"state_patch":{"done":false},"action":"read_order 7"}';
const run = (command: string) => ({ tool: 'run', args: { command } });

describe('reasoning', () => {
  const draft = '{"state_patch":{"done":true},"action":"finish"}';
  test.each([
    `<think>Perhaps ${draft} but order 7 is still unpaid.</think>\n${fenced(step)}`,
    `None</think>${step}`,
    `${draft} no, wait</think>${step}`,
    `<thinking>${fenced(draft)}</thinking>${step}`,
    `<think>{"state_patch": {"x": "unclosed draft</think>\n${step}`,
    `<THINK>${draft}</THINK>\nSo:\n${fenced(step)}`,
  ])('P01: the object after the reasoning is the transition (%#)', (text) => {
    const { transition } = accepted(said(text));
    expect(transition.patch.value).toEqual({ done: false });
    expect(transition.action).toEqual(run('read_order 7'));
  });

  test('P01: an unclosed thought with no answer after it is no transition', () => {
    expect(issues(said(`<think>Perhaps ${draft}`))).toEqual(['syntax.no_transition']);
    expect(issues(said(`<think>Perhaps ${fenced(draft)}`))).toEqual(['syntax.no_transition']);
  });

  test('P01: a value that holds the text of a tag survives', () => {
    const json = '{"state_patch":{"note":"a <think> b </think> c"},"action":"wait"}';
    for (const text of [json, fenced(json), `So\n${json}\nDone.`]) {
      expect(accepted(said(text)).transition.patch.value).toEqual({ note: 'a <think> b </think> c' });
    }
  });

  test('what is said around the transition is its reasoning', () => {
    expect(accepted(said(`Order 7 first.\n${fenced(step)}\nThat is all.`)).transition.reasoning).toBe(
      'Order 7 first.\nThat is all.',
    );
  });

  test('a reasoning text inside the object is reasoning too', () => {
    const { transition, remarks } = accepted(said(`{"reasoning":"unpaid",${step.slice(1)}`));
    expect(transition.reasoning).toBe('unpaid');
    expect(remarks).toEqual([]);
  });
});

describe('fences', () => {
  test('P02: the json block is used, a bash block never', () => {
    const text =
      'Plan first:\n```bash\nrm -rf build\n```\nNow the step:\n```json\n{"state_patch":{"progress":"clean build"},"action":"wait"}\n```';
    expect(accepted(said(text)).transition.action).toEqual(run('wait'));
  });

  test('P02: two blocks that look like transitions are ambiguous', () => {
    expect(issues(said(`${fenced(step)}\nor\n${fenced(step)}`))).toEqual(['syntax.two_candidates']);
    expect(issues(said(`${step}\n${fenced(step)}`))).toEqual(['syntax.two_candidates']);
  });

  test('P02: a transition in a fence of another language is not taken', () => {
    expect(issues(said(`\`\`\`python\n${step}\n\`\`\``))).toEqual(['syntax.no_transition']);
    expect(issues(said(`\`\`\`bash\n${step}`))).toEqual(['syntax.no_transition']);
  });

  test.each([
    `\`\`\`json ${step} \`\`\``,
    `\`\`\`\n${step}\n\`\`\``,
    `\`\`\`json\n${step}`,
    `~~~json\n${step}\n~~~`,
    `\`\`\`JSON\r\n${step}\r\n\`\`\`\r\n`,
    `Here {it} is: \`${step}\``,
    `The order {"id": 7} is open.\n${fenced(step)}\nSee {docs} and [2].`,
    `${fenced('{"order":7,"paid":false}')}\nso\n${fenced(step)}`,
  ])('one transition is found however it is fenced (%#)', (text) => {
    expect(accepted(said(text)).transition.action).toEqual(run('read_order 7'));
  });

  test('P03: backticks, braces and brackets in strings and in prose are text', () => {
    const first =
      '{"state_patch":{"note":"call `sync()` in ```js``` mode"},"action":"wait"}\nSource: [2], see {docs}.';
    expect(accepted(said(first)).transition.patch.value).toEqual({ note: 'call `sync()` in ```js``` mode' });
    const second = '```json\n{"state_patch":{"note":"a ``` b"},"action":"wait"}\n```\nRefs: [1]';
    expect(accepted(said(second)).transition.patch.value).toEqual({ note: 'a ``` b' });
  });

  test('P03: any note survives byte for byte, fenced and bare', () => {
    const piece = fc.constantFrom(
      '```',
      '```json\n',
      '{',
      '}',
      '"',
      '\\',
      '</think>',
      '<think>',
      '[',
      '\n',
      'a',
    );
    const note = fc.array(fc.oneof(piece, fc.string()), { maxLength: 8 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(note, fc.boolean(), (text, bare) => {
        const json = JSON.stringify({ state_patch: { note: text }, action: 'wait' });
        const got = accepted(said(bare ? json : `Reasoning.\n${fenced(json)}\nDone.`));
        expect(got.transition.patch.value).toEqual({ note: text.toWellFormed().replaceAll('\0', '\u2400') });
      }),
      { numRuns: 300 },
    );
  });

  test('patch and action in two blocks are not put together', () => {
    const text = `${fenced('{"state_patch":{"n":1}}')}\n${fenced('{"action":"wait"}')}`;
    expect(issues(said(text))).toEqual(['syntax.two_candidates']);
  });
});

describe('broken and cut off', () => {
  const cut =
    '{"state_patch":{"progress":"writing"},"action":{"tool":"write_file","args":{"path":"notes.md","content":"# Ti';
  const complete =
    '{"state_patch":{"progress":"writing"},"action":{"tool":"write_file","args":{"path":"notes.md"}}}';

  test.each([
    called(cut),
    called(complete),
    said(fenced(cut)),
    said(fenced(complete)),
    said('Reasoning that never'),
  ])('P04: a reply that hit the cap is never used, even where it parses (%#)', (reply) => {
    for (const mode of ['text', 'tool', 'structured'] as const) {
      const context = { ...calls, mode, skill: skill(null, true) };
      expect(issues({ ...reply, finish: 'length' }, context)).toEqual(['syntax.truncated']);
      expect(hint({ ...reply, finish: 'length' }, context)).toMatch(/smaller payload/);
      expect(refusedFragment({ ...reply, finish: 'length' }, context)).toBe('');
    }
  });

  test('P04: a short malformed reply is not called truncated, and is not closed for the model', () => {
    for (const context of [calls, { ...calls, skill: skill(null, true) }]) {
      expect(issues(said(fenced(cut)), context)).toEqual(['syntax.json']);
      expect(issues(called(cut), { ...context, mode: 'tool' })).toEqual(['syntax.json']);
    }
    for (const start of ['{"plan":"write","next":', '{plan: "write", next: ', "{'plan': 1, 'next': "])
      expect(issues(said(start + step))).toEqual(['syntax.json']);
    expect(issues(said(`{plan: "write", next: ${step}}`))).toEqual(['syntax.json']);
  });

  test('no cut of a reply is ever accepted', () => {
    const text = JSON.stringify({ state_patch: { a: { b: [1, '}'] } }, action: 'wait "x" }' });
    for (let length = 0; length < text.length; length++) {
      expect(issues(said(text.slice(0, length)), { ...commands, skill: skill('run', true) })).not.toEqual([
        'accepted',
      ]);
    }
  });

  test('P06: a repeated key is refused with its path, at the top and inside', () => {
    const top = '{"state_patch":{"n":1},"action":"read_order 7","action":"refund_order 7"}';
    expect(issues(said(top))).toEqual(['syntax.duplicate_key /action']);
    expect(issues(said('{"state_patch":{"n":1,"n":2},"action":"wait"}'))).toEqual([
      'syntax.duplicate_key /state_patch/n',
    ]);
    const inString = JSON.stringify({ state_patch: {}, action: { tool: 'wait', args: '{"a":1,"a":2}' } });
    expect(issues(said(inString), calls)).toEqual(['syntax.action_form /action/args']);
  });

  const slips = `{
    // the order
    'state_patch': {'done': false,}, /* next */
    "action": "read_order 7",
  }`;
  test('broken JSON is refused with what to remove', () => {
    expect(issues(said(fenced(slips)))).toEqual(['syntax.json']);
    expect(hint(said(fenced(slips)))).toMatch(/a comment, a string in single quotes, a comma before/);
  });
  test('broken JSON is repaired where the skill says so, and the log says so', () => {
    const { transition, remarks } = accepted(said(fenced(slips)), {
      ...commands,
      skill: skill('run', true),
    });
    expect(transition.action).toEqual(run('read_order 7'));
    expect(remarks).toEqual([
      'repaired JSON: a comment, a string in single quotes, a comma before a closing bracket',
    ]);
  });

  test('50 MB are refused without being read', () => {
    const started = performance.now();
    expect(issues(said('{"a":'.repeat(10_000_000)))).toEqual(['syntax.too_large']);
    expect(performance.now() - started).toBeLessThan(1000);
  });

  test.each(['{', '{"a":', '[{"', '```json\n{"', '<think>', '{"state_patch":{', '{"a":{{', "{'", '```x\n'])(
    'a hostile megabyte of %s is answered',
    (piece) => {
      const text = piece.repeat(Math.floor(REPLY_LIMIT / piece.length));
      expect(issues(said(text), { ...commands, skill: skill('run', true) })).not.toEqual(['accepted']);
    },
  );

  test('prose alone and an empty reply are no transition', () => {
    for (const text of ['', 'I will wait.', 'See {docs} [1].', 'I would set state_patch: to {} and wait']) {
      expect(issues(said(text))).toEqual(['syntax.no_transition']);
    }
  });
});

describe('shape', () => {
  test.each([
    ['{"transition":{"state_patch":{},"action":"wait"}}', 'syntax.wrapped /transition'],
    ['[{"state_patch":{},"action":"wait"}]', 'syntax.not_object'],
    ['{"action":"wait"}', 'syntax.missing_key /state_patch'],
    ['{"state_patch":{}}', 'syntax.missing_key /action'],
    ['{"state_patch":{},"action":"wait","confidence":0.9}', 'syntax.extra_key /confidence'],
    ['{"statePatch":{},"action":"wait"}', 'syntax.extra_key /statePatch'],
    ['{"state_patch":null,"action":"wait"}', 'syntax.patch_form /state_patch'],
    [
      '{"state_patch":[{"op":"replace","path":"/n","value":1}],"action":"wait"}',
      'syntax.patch_form /state_patch',
    ],
    ['{"state_patch":{},"action":""}', 'syntax.action_form /action'],
    ['{"state_patch":{},"action":["a","b"]}', 'syntax.action_form /action'],
    ['{"state_patch":{},"action":null}', 'syntax.action_form /action'],
  ])('%s is refused as %s', (text, issue) => {
    expect(issues(said(text))).toEqual([issue]);
  });

  test.each([
    ['"ship item_1"', 'syntax.action_form /action'],
    ['"ship"', 'syntax.action_form /action'],
    [
      '{"name":"ship","arguments":{"item":"a"}}',
      'syntax.extra_key /action/name,syntax.extra_key /action/arguments',
    ],
    ['{"ship":{"item":"a"}}', 'syntax.action_form /action/ship'],
    ['{"tool":"ship","item":"a"}', 'syntax.extra_key /action/item'],
    ['{"args":{}}', 'syntax.missing_key /action/tool'],
    ['{"tool":"ship","args":["a"]}', 'syntax.action_form /action/args'],
    ['[{"tool":"ship","args":{}}]', 'syntax.action_form /action'],
  ])('the action %s is refused as %s', (action, expected) => {
    expect(issues(said(`{"state_patch":{},"action":${action}}`), calls).join(',')).toBe(expected);
  });

  test.each([
    ['"finish"', { tool: 'finish', args: {} }],
    ['{"tool":"finish"}', { tool: 'finish', args: {} }],
    ['{"tool":"finish","args":null}', { tool: 'finish', args: {} }],
    ['{"tool":"ship","args":"{\\"item\\":\\"a\\"}"}', { tool: 'ship', args: { item: 'a' } }],
    ['"{\\"tool\\":\\"ship\\",\\"args\\":{\\"item\\":\\"a\\"}}"', { tool: 'ship', args: { item: 'a' } }],
  ])('the harmless form %s is read, with a remark', (action, expected) => {
    const got = accepted(said(`{"state_patch":{},"action":${action}}`), calls);
    expect(got.transition.action).toEqual(expected);
    expect(got.remarks).toHaveLength(1);
  });

  test('a patch as JSON in a string is read, with a remark', () => {
    const got = accepted(said('{"state_patch":"{\\"n\\":1}","action":"wait"}'));
    expect(got.transition.patch.value).toEqual({ n: 1 });
    expect(got.remarks).toEqual(['decoded string: state_patch was JSON inside a string']);
  });

  test('a command skill also takes the other tools as objects', () => {
    const got = accepted(said('{"state_patch":{},"action":{"tool":"finish","args":{}}}'));
    expect(got.transition.action).toEqual({ tool: 'finish', args: {} });
  });

  test('operations are read, and other forms refused with the place', () => {
    const context = { ...commands, dialect: 'operations' } as const;
    const ops = (list: string) => said(`{"state_patch":${list},"action":"wait"}`);
    expect(accepted(ops('[{"op":"set","path":"/n","value":1}]'), context).transition.patch).toEqual({
      dialect: 'operations',
      value: [{ op: 'set', path: '/n', value: 1 }],
    });
    expect(issues(ops('{"n":1}'), context)).toEqual(['syntax.patch_form /state_patch']);
    expect(issues(ops('{"op":"set","path":"/n","value":1}'), context)).toEqual([
      'syntax.patch_form /state_patch',
    ]);
  });
});

describe('tool and structured mode', () => {
  const tooled = { ...commands, mode: 'tool' } as const;
  const structured = { ...commands, mode: 'structured' } as const;
  test('exactly one call is a transition; prose alone, no call and two calls are not', () => {
    expect(accepted(called(step, 1, 'thinking'), tooled).transition.reasoning).toBe('thinking');
    expect(issues(called(null, 0, fenced(step)), tooled)).toEqual(['syntax.no_transition']);
    expect(issues(called(step, 2), tooled)).toEqual(['syntax.two_candidates']);
  });
  test('malformed and doubly encoded tool JSON', () => {
    expect(issues(called('{"state_patch": {'), tooled)).toEqual(['syntax.json']);
    expect(accepted(called(JSON.stringify(step)), tooled).transition.action).toEqual(run('read_order 7'));
  });
  test('structured output is read whole, also behind thinking', () => {
    expect(accepted(called(step, 0), structured).transition.action).toEqual(run('read_order 7'));
    expect(accepted(called(`<think>{"a":1}</think>${step}`, 0), structured).transition.action).toEqual(
      run('read_order 7'),
    );
    expect(issues(called(`${step}${step}`, 0), structured)).toEqual(['syntax.json']);
  });
  test('a refusal is named', () => {
    expect(issues(said('I cannot help', { finish: 'refusal' }))).toEqual(['model.refusal']);
  });
});

describe('the fragment for the next prompt', () => {
  test('holds the refused JSON, never reasoning', () => {
    const json = '{"reasoning":"SECRET","state_patch":{"n":1},"action":"wait","more":1}';
    const got = refusedFragment(said(`SECRET\n${fenced(json)}\nSECRET`), commands);
    expect(JSON.parse(got)).toEqual({ state_patch: { n: 1 }, action: 'wait', more: 1 });
    expect(refusedFragment(said(`SECRET ${fenced('{"reasoning":"SECRET",,}')}`), commands)).toBe('');
    expect(refusedFragment(said('SECRET prose'), commands)).toBe('');
  });
  test('is capped', () => {
    const json = JSON.stringify({ state_patch: { n: 'x'.repeat(9999) }, action: 'wait', more: 1 });
    expect(Buffer.byteLength(refusedFragment(said(json), commands))).toBeLessThanOrEqual(1024);
  });
});
