import { createHash } from 'node:crypto';
import type { ModelRequest, Prompt, PromptPart } from '../types.ts';
import type { ProviderDescription, Thinking } from './describe.ts';
import type { CallOptions, FunctionTool } from './provider.ts';

/** The name of the one tool that a model is given. */
export const TRANSITION_TOOL = 'propose_transition';

/** Anthropic takes four breakpoints in a request. */
const BREAKPOINTS = 4;

export type CallSettings = {
  readonly thinking: Thinking | false | undefined;
  readonly temperature: number | null;
  readonly maxOutputTokens: number;
};

/** What a provider package is called with. Pure; the same request gives the same bytes. */
export function callOptions(
  request: ModelRequest,
  description: ProviderDescription,
  settings: CallSettings,
  signal: AbortSignal,
): CallOptions {
  const { thinking, temperature, maxOutputTokens } = settings;
  return {
    prompt: messagesOf(request.prompt, description.provider === 'anthropic'),
    maxOutputTokens,
    abortSignal: signal,
    ...(temperature === null ? {} : { temperature }),
    ...(thinking === undefined ? {} : { reasoning: thinking === false ? 'none' : thinking }),
    ...schemaOptions(request, description),
    providerOptions: providerOptions(request, description),
  };
}

function schemaOptions(request: ModelRequest, description: ProviderDescription): Partial<CallOptions> {
  if (request.schema === null || description.mode === 'text') return {};
  const schema = request.schema as FunctionTool['inputSchema'];
  if (description.mode === 'structured') {
    return { responseFormat: { type: 'json', schema, name: 'transition' } };
  }
  const tool = {
    type: 'function' as const,
    name: TRANSITION_TOOL,
    description: 'Give the one transition of this step.',
    inputSchema: schema,
    ...(description.provider === 'openai' ? { strict: false } : {}),
  };
  const forced = { type: 'tool' as const, toolName: TRANSITION_TOOL };
  return { tools: [tool], toolChoice: description.toolChoice === 'forced' ? forced : { type: 'auto' } };
}

function providerOptions(
  request: ModelRequest,
  { provider, mode, strict }: ProviderDescription,
): NonNullable<CallOptions['providerOptions']> {
  const oneCall = mode === 'tool' && request.schema !== null;
  if (provider === 'openai') {
    return {
      openai: {
        promptCacheKey: cacheKey(request.cacheKey),
        strictJsonSchema: strict,
        store: false,
        ...(oneCall ? { parallelToolCalls: false } : {}),
      },
    };
  }
  if (provider === 'anthropic') return oneCall ? { anthropic: { disableParallelToolUse: true } } : {};
  if (provider === 'compatible') return { compatible: { strictJsonSchema: false } };
  return {};
}

/** OpenAI takes at most 64 characters. */
function cacheKey(key: string): string {
  return key.length <= 64 ? key : createHash('sha256').update(key).digest('hex');
}

type Segment = { readonly role: PromptPart['role']; readonly text: string; readonly cache: boolean };

/**
 * Neighbours of one role are joined by a blank line, as the prompt's contract says; where the provider has
 * breakpoints, a segment ends behind each part that asks for one.
 */
function segmentsOf(prompt: Prompt, breakpoints: boolean): readonly Segment[] {
  const marked = prompt.filter((part) => part.cache).slice(-BREAKPOINTS);
  const segments: Segment[] = [];
  for (const part of prompt) {
    const cache = breakpoints && marked.includes(part);
    const last = segments.at(-1);
    if (last && last.role === part.role && !last.cache) {
      segments[segments.length - 1] = { role: part.role, text: `${last.text}\n\n${part.text}`, cache };
    } else {
      segments.push({ role: part.role, text: part.text, cache });
    }
  }
  return segments;
}

const breakpoint = { providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } } };

/** System segments first become system messages; others messages of text parts, neighbours of one role in one. */
function messagesOf(prompt: Prompt, breakpoints: boolean): CallOptions['prompt'] {
  const messages: CallOptions['prompt'] = [];
  for (const segment of segmentsOf(prompt, breakpoints)) {
    const mark = segment.cache ? breakpoint : {};
    if (segment.role === 'system') {
      messages.push({ role: 'system', content: segment.text, ...mark });
      continue;
    }
    const part = { type: 'text' as const, text: segment.text, ...mark };
    const last = messages.at(-1);
    if (last && last.role === segment.role) last.content.push(part);
    else messages.push({ role: segment.role, content: [part] });
  }
  return messages;
}
