import type {
  Issue,
  Json,
  JsonObject,
  ParsedReply,
  Result,
  Skill,
  Strategy,
  StrategyInput,
} from '@skillstate/runtime';
import { parseJson } from '@skillstate/runtime';

/**
 * A strategy for skills whose actions are tool calls. The paper's templates show P and take command strings: here P is
 * followed by the list of tools, and a command is `NAME {arguments}`. The state strategy shows tools by itself and stays
 * as it is.
 */
export function withToolCalls(strategy: Strategy): Strategy {
  if (!strategy.history) return strategy;
  const extended = new WeakMap<Skill, Skill>();
  const shown = (input: StrategyInput): StrategyInput => {
    const skill = extended.get(input.skill) ?? extend(input);
    extended.set(input.skill, skill);
    return { ...input, skill };
  };
  return {
    ...strategy,
    render: (input, turns, memo, ask) => strategy.render(shown(input), turns, memo, ask),
    parse: (reply, input) => readCall(strategy.parse(reply, input)),
  };
}

function extend({ skill, tools }: StrategyInput): Skill {
  const offered = tools.filter(({ name }) => skill.actions.functions.includes(name));
  const lines = offered.map(
    ({ name, description, inputSchema }) => `- ${name}: ${description}\n  ${JSON.stringify(inputSchema)}`,
  );
  const parts = [
    skill.instructions,
    '# Actions',
    'Write an action on one line, as its name and its arguments in JSON: Action: NAME {"argument": "value"}',
    lines.join('\n'),
  ];
  return { ...skill, instructions: parts.join('\n\n') };
}

function readCall(parsed: Result<ParsedReply>): Result<ParsedReply> {
  if (!parsed.ok) return parsed;
  const { transition, remarks } = parsed.value;
  const { command } = transition.action.args;
  const call = parseCall(typeof command === 'string' ? command : '');
  return call.ok ? { ok: true, value: { transition: { ...transition, action: call.value }, remarks } } : call;
}

/** Reads `NAME {…}`, `NAME({…})`, `NAME` or `{"tool": NAME, "args": {…}}`. Issue: `syntax.action_form`. */
export function parseCall(command: string): Result<{ readonly tool: string; readonly args: JsonObject }> {
  const found = /^(?:([\w-]+)\s*)?\(?\s*(\{[^]*\})?\s*\)?$/.exec(command.trim());
  const json = parseJson(found?.[2] ?? '{}');
  if (found === null || !json.ok || !isObject(json.value)) return refused(command);
  const { tool, name = tool, args, arguments: given = args } = json.value;
  if (found[1] !== undefined) return { ok: true, value: { tool: found[1], args: json.value } };
  if (typeof name !== 'string') return refused(command);
  return { ok: true, value: { tool: name, args: isObject(given) ? given : {} } };
}

function isObject(value: Json | undefined): value is JsonObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

function refused<T>(command: string): Result<T> {
  const got = command.slice(0, 120);
  const issue: Issue = {
    code: 'syntax.action_form',
    path: '/action',
    hint: `write the action as its name and its arguments, strict JSON on the same line: Action: NAME {"argument": "value"}; got ${got}`,
  };
  return { ok: false, issues: [issue] };
}
