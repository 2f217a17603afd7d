import type { Json, JsonObject } from '../types.ts';
import {
  list,
  numberOr,
  object,
  messages,
  pieces,
  promptParts,
  type Wire,
  type WireAnswer,
} from './fake-wire.ts';

/** Google Gemini `generateContent` and `streamGenerateContent?alt=sse`. */
export const googleWire: Wire = {
  read(body, path) {
    const declared = object(list(object(list(body['tools'])[0])['functionDeclarations'])[0])['name'];
    return {
      model: /models\/([^:]+):/.exec(path)?.[1] ?? 'unknown',
      stream: path.includes(':streamGenerateContent'),
      cap: numberOr(object(body['generationConfig'])['maxOutputTokens'], null),
      tool: typeof declared === 'string' ? declared : null,
      parts: promptParts([
        { role: 'system', content: object(body['systemInstruction'])['parts'] },
        ...messages(body['contents']),
      ]),
    };
  },
  events(answer) {
    const parts = partsOf(answer, true);
    const chunks = parts.map((part) => ({ candidates: [{ index: 0, content: content([part]) }] }));
    return [...chunks, end(answer, [])].map((chunk) => [null, chunk] as const);
  },
  body(answer) {
    return end(answer, partsOf(answer, false));
  },
  error(status, message) {
    return { error: { code: status, message, status: status === 429 ? 'RESOURCE_EXHAUSTED' : 'INTERNAL' } };
  },
};

function content(parts: readonly Json[]): JsonObject {
  return { role: 'model', parts };
}

function partsOf(answer: WireAnswer, streamed: boolean): readonly JsonObject[] {
  const cut = (text: string) => (streamed ? pieces(text) : text === '' ? [] : [text]);
  const thoughts = cut(answer.reasoning).map((text) => ({ text, thought: true }));
  if (answer.calls === 0) return [...thoughts, ...cut(answer.text).map((text) => ({ text }))];
  const args = parsed(answer.text);
  if (args === undefined) return thoughts;
  const call = { functionCall: { name: answer.tool, args } };
  return [...thoughts, ...Array.from({ length: answer.calls }, () => call)];
}

/** Google sends arguments as an object; what does not parse becomes its MALFORMED_FUNCTION_CALL. */
function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function end(answer: WireAnswer, parts: readonly JsonObject[]): JsonObject {
  const candidate = { index: 0, content: content(parts), finishReason: finishReason(answer) };
  const { usage } = answer;
  if (!usage) return { candidates: [candidate] };
  return {
    candidates: [candidate],
    usageMetadata: {
      promptTokenCount: usage.input,
      cachedContentTokenCount: usage.cacheRead,
      candidatesTokenCount: usage.output - usage.reasoning,
      thoughtsTokenCount: usage.reasoning,
      totalTokenCount: usage.input + usage.output,
    },
  };
}

function finishReason(answer: WireAnswer): string {
  if (answer.finish === 'refusal') return 'SAFETY';
  if (answer.finish === 'length' && !answer.mislabel) return 'MAX_TOKENS';
  return answer.calls > 0 && parsed(answer.text) === undefined ? 'MALFORMED_FUNCTION_CALL' : 'STOP';
}
