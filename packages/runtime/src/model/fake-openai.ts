import type { Json, JsonObject } from '../types.ts';
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
  type WireRequest,
  type WireUsage,
} from './fake-wire.ts';

function openAiError(status: number, message: string): Json {
  return { error: { message, type: status === 429 ? 'rate_limit' : 'api_error', param: null, code: null } };
}

/** OpenAI Chat Completions, which compatible servers speak too. */
export const chatWire: Wire = {
  read(body) {
    const tool = object(object(list(body['tools'])[0])['function'])['name'];
    return {
      model: stringOr(body['model'], 'unknown'),
      stream: body['stream'] === true,
      cap: numberOr(body['max_completion_tokens'] ?? body['max_tokens'], null),
      tool: typeof tool === 'string' ? tool : null,
      parts: promptParts(messages(body['messages'])),
    };
  },
  events(answer) {
    const deltas: Json[] = [{ role: 'assistant' }];
    for (const piece of pieces(answer.reasoning)) deltas.push({ reasoning_content: piece });
    if (answer.calls === 0) {
      const name = answer.finish === 'refusal' ? 'refusal' : 'content';
      for (const piece of pieces(answer.text)) deltas.push({ [name]: piece });
    }
    for (let index = 0; index < answer.calls; index += 1) {
      const start = { index, id: toolCallId(index), type: 'function' };
      deltas.push({ tool_calls: [{ ...start, function: { name: answer.tool, arguments: '' } }] });
      for (const piece of pieces(answer.text)) {
        deltas.push({ tool_calls: [{ index, function: { arguments: piece } }] });
      }
    }
    const chunk = (choices: readonly Json[], more: JsonObject = {}): readonly [null, Json] => [
      null,
      { id: 'c', object: 'chat.completion.chunk', created: 1, model: answer.model, choices, ...more },
    ];
    return [
      ...deltas.map((delta) => chunk([{ index: 0, delta, finish_reason: null }])),
      chunk([{ index: 0, delta: {}, finish_reason: chatFinish(answer) }]),
      ...(answer.usage ? [chunk([], { usage: chatUsage(answer.usage) })] : []),
      [null, '[DONE]'],
    ];
  },
  body(answer) {
    const calls = Array.from({ length: answer.calls }, (_, index) => ({
      id: toolCallId(index),
      type: 'function',
      function: { name: answer.tool, arguments: answer.text },
    }));
    const refused = answer.finish === 'refusal';
    const message = {
      role: 'assistant',
      content: answer.calls > 0 || refused ? null : answer.text,
      ...(refused ? { refusal: answer.text } : {}),
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
    };
    return {
      id: 'c',
      object: 'chat.completion',
      created: 1,
      model: answer.model,
      choices: [{ index: 0, message, finish_reason: chatFinish(answer) }],
      ...(answer.usage ? { usage: chatUsage(answer.usage) } : {}),
    };
  },
  error: openAiError,
};

function chatFinish(answer: WireAnswer): string {
  if (answer.finish === 'refusal') return 'content_filter';
  if (answer.finish === 'length' && !answer.mislabel) return 'length';
  return answer.calls > 0 ? 'tool_calls' : 'stop';
}

function chatUsage(usage: WireUsage): JsonObject {
  return {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cacheRead, cache_write_tokens: usage.cacheWrite },
    completion_tokens_details: { reasoning_tokens: usage.reasoning },
  };
}

/** OpenAI Responses. */
export const responsesWire: Wire = {
  read: readResponses,
  events(answer) {
    const started = { id: 'r', created_at: 1, model: answer.model };
    const items = responseItems(answer);
    const events: JsonObject[] = [{ type: 'response.created', response: started }];
    items.forEach((item, index) => {
      events.push({ type: 'response.output_item.added', output_index: index, item: emptied(item) });
      const type = deltaType(item, answer);
      for (const delta of pieces(answer.text)) {
        events.push({ type, item_id: item['id'] ?? '', output_index: index, content_index: 0, delta });
      }
      if (type === 'response.refusal.delta') {
        const done = { type: 'response.refusal.done', item_id: 'm', output_index: index, content_index: 0 };
        events.push({ ...done, refusal: answer.text });
      }
      events.push({ type: 'response.output_item.done', output_index: index, item });
    });
    const cut = answer.finish === 'length' && !answer.mislabel;
    const type = cut ? 'response.incomplete' : 'response.completed';
    events.push({ type, response: { ...started, ...responseEnd(answer) } });
    return events.map((event) => [stringOr(event['type'], ''), event] as const);
  },
  body(answer) {
    const status = answer.finish === 'length' ? 'incomplete' : 'completed';
    const started = { id: 'r', object: 'response', created_at: 1, model: answer.model, status };
    return { ...started, output: [...responseItems(answer)], ...responseEnd(answer) };
  },
  error: openAiError,
};

function readResponses(body: JsonObject): WireRequest {
  const tool = object(list(body['tools'])[0])['name'];
  return {
    model: stringOr(body['model'], 'unknown'),
    stream: body['stream'] === true,
    cap: numberOr(body['max_output_tokens'], null),
    tool: typeof tool === 'string' ? tool : null,
    parts: promptParts(messages(body['input'])),
  };
}

function responseItems(answer: WireAnswer): readonly JsonObject[] {
  if (answer.calls === 0) {
    const content =
      answer.finish === 'refusal'
        ? { type: 'refusal', refusal: answer.text }
        : { type: 'output_text', text: answer.text, annotations: [] };
    return answer.text === '' ? [] : [{ type: 'message', id: 'm', role: 'assistant', content: [content] }];
  }
  return Array.from({ length: answer.calls }, (_, index) => ({
    type: 'function_call',
    id: `f${index}`,
    call_id: toolCallId(index),
    name: answer.tool,
    arguments: answer.text,
    status: 'completed',
  }));
}

function emptied(item: JsonObject): JsonObject {
  return item['type'] === 'message' ? { ...item, content: [] } : { ...item, arguments: '' };
}

function deltaType(item: JsonObject, answer: WireAnswer): string {
  if (item['type'] === 'function_call') return 'response.function_call_arguments.delta';
  return answer.finish === 'refusal' ? 'response.refusal.delta' : 'response.output_text.delta';
}

function responseEnd({ finish, mislabel, usage }: WireAnswer): JsonObject {
  return {
    incomplete_details: finish === 'length' && !mislabel ? { reason: 'max_output_tokens' } : null,
    usage: usage
      ? {
          input_tokens: usage.input,
          input_tokens_details: { cached_tokens: usage.cacheRead, cache_write_tokens: usage.cacheWrite },
          output_tokens: usage.output,
          output_tokens_details: { reasoning_tokens: usage.reasoning },
          total_tokens: usage.input + usage.output,
        }
      : null,
  };
}
