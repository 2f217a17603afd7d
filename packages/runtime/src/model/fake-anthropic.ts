import type { JsonObject } from '../types.ts';
import {
  list,
  numberOr,
  object,
  pieces,
  stringOr,
  messages,
  promptParts,
  toolCallId,
  type Wire,
  type WireAnswer,
} from './fake-wire.ts';

/** Anthropic Messages. */
export const anthropicWire: Wire = {
  read(body) {
    const tool = object(list(body['tools'])[0])['name'];
    return {
      model: stringOr(body['model'], 'unknown'),
      stream: body['stream'] === true,
      cap: numberOr(body['max_tokens'], null),
      tool: typeof tool === 'string' ? tool : null,
      parts: promptParts([{ role: 'system', content: body['system'] }, ...messages(body['messages'])]),
    };
  },
  events(answer) {
    const usage = inputUsage(answer);
    const message = { id: 'm', type: 'message', role: 'assistant', model: answer.model, content: [], usage };
    const events: JsonObject[] = [{ type: 'message_start', message: { ...message, stop_reason: null } }];
    blocks(answer).forEach(({ block, deltas }, index) => {
      events.push({ type: 'content_block_start', index, content_block: block });
      for (const delta of deltas) events.push({ type: 'content_block_delta', index, delta });
      events.push({ type: 'content_block_stop', index });
    });
    const delta = { stop_reason: stopReason(answer), stop_sequence: null };
    events.push({ type: 'message_delta', delta, usage: { output_tokens: answer.usage?.output ?? 0 } });
    events.push({ type: 'message_stop' });
    return events.map((event) => [stringOr(event['type'], ''), event] as const);
  },
  body(answer) {
    return {
      id: 'm',
      type: 'message',
      role: 'assistant',
      model: answer.model,
      content: blocks(answer).map(({ block }) => finished(block, answer)),
      stop_reason: stopReason(answer),
      stop_sequence: null,
      usage: { ...inputUsage(answer), output_tokens: answer.usage?.output ?? 0 },
    };
  },
  error(status, message) {
    const types: Readonly<Record<number, string>> = { 401: 'authentication_error', 429: 'rate_limit_error' };
    return { type: 'error', error: { type: types[status] ?? 'api_error', message } };
  },
};

type Block = { readonly block: JsonObject; readonly deltas: readonly JsonObject[] };

function blocks(answer: WireAnswer): readonly Block[] {
  const out: Block[] = [];
  if (answer.reasoning !== '') {
    const deltas = pieces(answer.reasoning).map((thinking) => ({ type: 'thinking_delta', thinking }));
    out.push({ block: { type: 'thinking', thinking: '', signature: 's' }, deltas });
  }
  if (answer.calls === 0 && answer.text !== '') {
    const deltas = pieces(answer.text).map((text) => ({ type: 'text_delta', text }));
    out.push({ block: { type: 'text', text: '' }, deltas });
  }
  for (let index = 0; index < answer.calls; index += 1) {
    const block = { type: 'tool_use', id: toolCallId(index), name: answer.tool, input: {} };
    const deltas = pieces(answer.text).map((piece) => ({ type: 'input_json_delta', partial_json: piece }));
    out.push({ block, deltas });
  }
  return out;
}

function finished(block: JsonObject, answer: WireAnswer): JsonObject {
  if (block['type'] === 'text') return { ...block, text: answer.text };
  if (block['type'] === 'thinking') return { ...block, thinking: answer.reasoning };
  return { ...block, input: JSON.parse(answer.text) };
}

function stopReason(answer: WireAnswer): string {
  if (answer.finish === 'refusal') return 'refusal';
  if (answer.finish === 'length' && !answer.mislabel) return 'max_tokens';
  return answer.calls > 0 ? 'tool_use' : 'end_turn';
}

/** Anthropic's `input_tokens` leaves cache reads and writes out. */
function inputUsage({ usage }: WireAnswer): JsonObject {
  if (!usage) return { input_tokens: 0, output_tokens: 0 };
  return {
    input_tokens: usage.input - usage.cacheRead - usage.cacheWrite,
    cache_creation_input_tokens: usage.cacheWrite,
    cache_read_input_tokens: usage.cacheRead,
    output_tokens: 1,
  };
}
