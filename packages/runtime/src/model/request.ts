import { createHash } from 'node:crypto';
import type { ModelRequest, Prompt, PromptPart } from '../types.ts';
import type { ProviderDescription, Thinking } from './describe.ts';
import type { CallOptions, FunctionTool } from './provider.ts';

/** The name of the one tool that a model is given. */
export const TRANSITION_TOOL = 'propose_transition';

/** Anthropic takes four breakpoints in a request; OpenAI reads the latest four. */
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
    prompt: messagesOf(request.prompt, description),
    maxOutputTokens,
    abortSignal: signal,
    includeRawChunks: true,
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
  { provider, mode, strict, breakpoints }: ProviderDescription,
): NonNullable<CallOptions['providerOptions']> {
  const oneCall = mode === 'tool' && request.schema !== null;
  if (provider === 'openai') {
    return {
      openai: {
        promptCacheKey: cacheKey(request.cacheKey),
        ...(breakpoints && request.prompt.some((part) => part.cache)
          ? { promptCacheOptions: { mode: 'explicit' } }
          : {}),
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

type Block = { readonly role: PromptPart['role']; readonly text: string; readonly cache: boolean };

/** Neighbours of one role as one text, joined by a blank line, as the prompt's contract says. */
function joined(prompt: Prompt): readonly Block[] {
  const blocks: Block[] = [];
  for (const { role, text } of prompt) {
    const last = blocks.at(-1);
    if (last?.role === role) {
      blocks[blocks.length - 1] = { role, text: `${last.text}\n\n${text}`, cache: false };
    } else {
      blocks.push({ role, text, cache: false });
    }
  }
  return blocks;
}

/**
 * One block for each part, so that a prefix that was cached before ends at a block again. A block after one of its
 * own role begins with the blank line: the bytes are those of `joined`.
 */
function separate(prompt: Prompt): readonly Block[] {
  const marked = new Set(prompt.filter((part) => part.cache).slice(-BREAKPOINTS));
  return prompt.map((part, index) => {
    const follows = prompt[index - 1]?.role === part.role;
    return { role: part.role, text: follows ? `\n\n${part.text}` : part.text, cache: marked.has(part) };
  });
}

const breakpoint = {
  providerOptions: {
    anthropic: { cacheControl: { type: 'ephemeral' } },
    openai: { promptCacheBreakpoint: { mode: 'explicit' } },
  },
};

/** Each system block becomes a system message; other neighbours of one role the text parts of one message. */
function messagesOf(prompt: Prompt, { breakpoints }: ProviderDescription): CallOptions['prompt'] {
  const messages: CallOptions['prompt'] = [];
  for (const block of breakpoints ? separate(prompt) : joined(prompt)) {
    const mark = block.cache ? breakpoint : {};
    if (block.role === 'system') {
      messages.push({ role: 'system', content: block.text, ...mark });
      continue;
    }
    const part = { type: 'text' as const, text: block.text, ...mark };
    const last = messages.at(-1);
    if (last && last.role === block.role) last.content.push(part);
    else messages.push({ role: block.role, content: [part] });
  }
  return messages;
}
