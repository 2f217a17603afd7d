import type { Dialect, ReplyMode } from '../types.ts';

export type ProviderName = 'openai' | 'anthropic' | 'google' | 'compatible';
/** What answers behind an OpenAI-compatible base URL; decides how decoding is constrained. */
export type CompatibleServer = 'ollama' | 'llama.cpp' | 'vllm' | 'other';
export type Thinking = 'minimal' | 'low' | 'medium' | 'high';

export type ProviderQuestion = {
  readonly provider: ProviderName;
  /** The provider's model id, where the choice depends on it. */
  readonly model?: string;
  readonly mode?: ReplyMode | 'auto';
  readonly dialect?: Dialect | 'auto';
  readonly thinking?: Thinking | false;
  readonly server?: CompatibleServer;
};

export type ProviderDescription = {
  readonly provider: ProviderName;
  readonly mode: ReplyMode;
  readonly dialect: Dialect;
  /** The provider enforces the schema in its strict subset. */
  readonly strict: boolean;
  /** Tool mode: `forced` names the tool; `auto` leaves the choice to the model, and prose alone is rejected. */
  readonly toolChoice: 'forced' | 'auto' | 'none';
  /** The request member that constrains decoding; null: nothing does. */
  readonly constraint: string | null;
  /** Whether the request marks where the cached prefix ends. */
  readonly breakpoints: boolean;
  readonly cache: string;
  /** One sentence for each choice, for `skillstate check`. */
  readonly why: readonly string[];
};

const cacheWords: Readonly<Record<ProviderName, string>> = {
  openai: 'automatic prefix cache, kept together by prompt_cache_key',
  anthropic: 'cache_control breakpoint behind the fixed part',
  google: 'implicit prefix cache; nothing to set',
  compatible: "the server's own prefix cache; nothing to set",
};

/**
 * Which mode and dialect a provider gets, and why (R6). Pure. `auto` gives hosted providers the forced tool call with
 * the free-form merge dialect, and compatible servers structured output, because those turn any schema into a grammar.
 */
export function describeProvider(question: ProviderQuestion): ProviderDescription {
  const { provider } = question;
  const why: string[] = [];
  const mode = chooseMode(question, why);
  const dialect = chooseDialect(question, mode, why);
  const strict = isStrict(provider, mode) && dialect === 'operations';
  const toolChoice = chooseTool(question, mode, why);
  const constraint = chooseConstraint(question, mode, why);
  const breakpoints =
    provider === 'anthropic' || (provider === 'openai' && chargesCacheWrites(question.model));
  const cache = provider === 'openai' && breakpoints ? explicitWords : cacheWords[provider];
  return { provider, mode, dialect, strict, toolChoice, constraint, breakpoints, cache, why };
}

const explicitWords =
  'prompt_cache_breakpoint behind the fixed part only, since this model charges for cache writes; prompt_cache_key';

/** GPT-5.6 and later take explicit breakpoints and charge 1.25 times the input price for what is written. */
function chargesCacheWrites(model = ''): boolean {
  const version = /^gpt-(\d+)(?:\.(\d+))?/.exec(model);
  const [major, minor] = [Number(version?.[1] ?? 0), Number(version?.[2] ?? 0)];
  return major > 5 || (major === 5 && minor >= 6);
}

function chooseMode({ provider, mode }: ProviderQuestion, why: string[]): ReplyMode {
  if (mode && mode !== 'auto') {
    why.push(`${mode} mode: asked for`);
    return mode;
  }
  if (provider === 'compatible') {
    why.push(
      'structured mode: compatible servers turn a JSON Schema into a grammar, weak models need it most',
    );
    return 'structured';
  }
  why.push('tool mode: one forced propose_transition call takes the free-form patch without a strict schema');
  return 'tool';
}

/** OpenAI and Anthropic accept only closed objects in native structured output. */
function isStrict(provider: ProviderName, mode: ReplyMode): boolean {
  return mode === 'structured' && (provider === 'openai' || provider === 'anthropic');
}

function chooseDialect({ provider, dialect }: ProviderQuestion, mode: ReplyMode, why: string[]): Dialect {
  if (dialect && dialect !== 'auto') {
    why.push(`${dialect} dialect: asked for`);
    return dialect;
  }
  if (isStrict(provider, mode)) {
    why.push(
      'operations dialect: strict schemas need every member named, so an absent field must not be written',
    );
    return 'operations';
  }
  why.push('merge dialect: members may be absent, and an absent one is untouched');
  return 'merge';
}

function chooseTool(
  { provider, thinking }: ProviderQuestion,
  mode: ReplyMode,
  why: string[],
): ProviderDescription['toolChoice'] {
  if (mode !== 'tool') return 'none';
  if (thinking && (provider === 'anthropic' || provider === 'compatible')) {
    why.push(
      'tool choice auto: with thinking on, a forced tool is refused; prose alone is rejected and asked again',
    );
    return 'auto';
  }
  return 'forced';
}

function chooseConstraint(
  { provider, server = 'other' }: ProviderQuestion,
  mode: ReplyMode,
  why: string[],
): string | null {
  if (mode !== 'structured') return mode === 'tool' ? 'tools[0] parameters' : null;
  if (provider === 'anthropic') return 'output_config.format';
  if (provider === 'google') return 'generationConfig.responseJsonSchema';
  if (provider === 'openai') return 'response_format json_schema';
  why.push(compatibleWords[server]);
  return server === 'vllm' ? 'response_format json_schema + guided_json' : 'response_format json_schema';
}

const compatibleWords: Readonly<Record<CompatibleServer, string>> = {
  ollama: 'Ollama (0.5 and later) decodes under response_format json_schema',
  'llama.cpp': 'llama-server turns response_format json_schema into a GBNF grammar',
  vllm: 'vLLM decodes under response_format json_schema; guided_json goes along for versions before 0.12',
  other: 'the server may ignore response_format json_schema; every reply is validated anyway',
};
