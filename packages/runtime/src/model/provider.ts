import type { OpenAIProvider } from '@ai-sdk/openai';
import type { Json, JsonObject, Result } from '../types.ts';
import type { CompatibleServer, ProviderName } from './describe.ts';
import { convertCompatibleUsage } from './usage.ts';

/** The interface that all provider packages of the AI SDK implement. */
export type LanguageModel = ReturnType<OpenAIProvider['chat']>;
export type CallOptions = Parameters<LanguageModel['doStream']>[0];
/** A tool with a JSON Schema of its arguments; the same schema type serves structured output. */
export type FunctionTool = Extract<NonNullable<CallOptions['tools']>[number], { type: 'function' }>;
export type StreamPart =
  Awaited<ReturnType<LanguageModel['doStream']>>['stream'] extends ReadableStream<infer Part> ? Part : never;

export type ProviderSettings = {
  readonly provider: ProviderName;
  readonly model: string;
  /** OpenAI only: which of its two protocols. */
  readonly api: 'responses' | 'chat';
  readonly server: CompatibleServer;
  readonly baseURL: string | undefined;
  readonly apiKey: string | undefined;
  readonly fetch: typeof fetch;
};

const packages: Readonly<Record<ProviderName, string>> = {
  openai: '@ai-sdk/openai',
  anthropic: '@ai-sdk/anthropic',
  google: '@ai-sdk/google',
  compatible: '@ai-sdk/openai-compatible',
};

/** Environment variables that may hold the key, first one first. A compatible server needs none. */
export const keyVariables: Readonly<Record<ProviderName, readonly string[]>> = {
  openai: ['OPENAI_API_KEY'],
  anthropic: ['ANTHROPIC_API_KEY'],
  google: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY'],
  compatible: ['OPENAI_COMPATIBLE_API_KEY'],
};

/** Imports the provider's package, an optional peer; where it is missing, the issue `model.package` names it. */
export async function loadLanguageModel(settings: ProviderSettings): Promise<Result<LanguageModel>> {
  try {
    return { ok: true, value: await loaders[settings.provider](settings) };
  } catch (error) {
    const name = packages[settings.provider];
    const missing = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
    const hint = missing
      ? `${settings.provider} models need the package ${name}: npm install ${name}`
      : `${name} cannot be used: ${error instanceof Error ? error.message : String(error)}`;
    return { ok: false, issues: [{ code: 'model.package', path: '', hint }] };
  }
}

const loaders: Readonly<Record<ProviderName, (settings: ProviderSettings) => Promise<LanguageModel>>> = {
  async openai(settings) {
    const { createOpenAI } = await import('@ai-sdk/openai');
    const provider = createOpenAI(common(settings));
    return settings.api === 'chat' ? provider.chat(settings.model) : provider.responses(settings.model);
  },
  async anthropic(settings) {
    const { createAnthropic } = await import('@ai-sdk/anthropic');
    return createAnthropic(common(settings))(settings.model);
  },
  async google(settings) {
    const { createGoogleGenerativeAI } = await import('@ai-sdk/google');
    return createGoogleGenerativeAI(common(settings))(settings.model);
  },
  async compatible(settings) {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
    const provider = createOpenAICompatible({
      ...common(settings),
      name: 'compatible',
      baseURL: settings.baseURL ?? '',
      includeUsage: true,
      supportsStructuredOutputs: true,
      convertUsage: (usage) => fullUsage(convertCompatibleUsage(usage)),
      transformRequestBody: (body) => withGrammar(body, settings.server),
    });
    return provider.chatModel(settings.model);
  },
};

type Converted = ReturnType<typeof convertCompatibleUsage>;

function fullUsage({ inputTokens: input, outputTokens: output }: Converted) {
  return {
    inputTokens: {
      total: input.total,
      noCache: input.noCache,
      cacheRead: input.cacheRead,
      cacheWrite: input.cacheWrite,
    },
    outputTokens: { total: output.total, text: output.text, reasoning: output.reasoning },
  };
}

function common({ baseURL, apiKey, fetch }: ProviderSettings) {
  return {
    fetch,
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(baseURL === undefined ? {} : { baseURL }),
  };
}

/** vLLM before 0.12 constrains decoding by `guided_json` only; later ones ignore it. */
function withGrammar(body: Readonly<Record<string, unknown>>, server: CompatibleServer) {
  const format = body['response_format'] as { json_schema?: { schema?: Json } } | undefined;
  const schema = format?.json_schema?.schema as JsonObject | undefined;
  return server === 'vllm' && schema ? { ...body, guided_json: schema } : { ...body };
}
