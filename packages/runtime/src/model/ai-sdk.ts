import { setTimeout as sleep } from 'node:timers/promises';
import type { Dialect, Issue, Model, ModelReply, ModelRequest, ReplyMode, Result, Usage } from '../types.ts';
import {
  type CompatibleServer,
  describeProvider,
  type ProviderDescription,
  type ProviderName,
  type Thinking,
} from './describe.ts';
import { aborted, classify, timedOut } from './failure.ts';
import { limitedFetch } from './limit.ts';
import { keyVariables, type LanguageModel, loadLanguageModel } from './provider.ts';
import { nothingSeen, readReply, type Seen, seenText } from './reply.ts';
import { callOptions } from './request.ts';
import { type Answer, type Attempt, askWithRetries, type RetryPolicy } from './retry.ts';
import { createScrub, hideKeys, type Scrub } from './scrub.ts';
import { type CountTokens, countUsage, cutUsage, noUsage } from './usage.ts';

export type AiSdkOptions = {
  readonly provider: ProviderName;
  /** The provider's own model id. */
  readonly model: string;
  /** For logs and price sheets; default `provider:model`. */
  readonly name?: string;
  readonly baseURL?: string;
  /** Default: from `env` (`OPENAI_API_KEY`, `ANTHROPIC_API_KEY`, `GOOGLE_GENERATIVE_AI_API_KEY`, …). */
  readonly apiKey?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** OpenAI only; default `responses`. */
  readonly api?: 'responses' | 'chat';
  readonly server?: CompatibleServer;
  readonly mode?: ReplyMode | 'auto';
  readonly dialect?: Dialect | 'auto';
  /** Unset: the provider's default. `false` asks for none. */
  readonly thinking?: Thinking | false;
  /** Default 0, or none where thinking is on. null sends none. Models that refuse it are not sent it. */
  readonly temperature?: number | null;
  /** Default 8192. */
  readonly maxOutputTokens?: number;
  /** Of one attempt, from the request to the end of the reply; default 180,000. */
  readonly timeoutMs?: number;
  /** Default 1,000,000 bytes of text, arguments and thinking. */
  readonly maxReplyBytes?: number;
  /** After the first attempt; default 4. */
  readonly retries?: number;
  readonly retry?: Partial<Omit<RetryPolicy, 'retries'>>;
  /** Counts tokens where the provider reports none. */
  readonly count?: CountTokens;
};

type Settings = {
  readonly options: AiSdkOptions;
  readonly description: ProviderDescription;
  readonly keys: readonly string[];
  readonly scrub: Scrub;
  readonly timeoutMs: number;
  readonly maxReplyBytes: number;
  readonly maxOutputTokens: number;
  language(): Promise<Result<LanguageModel>>;
};

/**
 * A model of a hosted provider or of an OpenAI-compatible server. It speaks to the AI SDK's provider packages
 * directly and always streams: so the arguments of a tool call arrive as the model wrote them, duplicated keys and
 * all, and an endless reply is left early. `ask` never throws for what a provider does; every message is scrubbed of
 * the key.
 */
export function createAiSdkModel(options: AiSdkOptions): Model {
  const settings = settingsOf(options);
  const policy = policyOf(options);
  const { mode, dialect } = settings.description;
  return {
    name: options.name ?? `${options.provider}:${options.model}`,
    mode,
    dialect,
    ask: (request) => ask(request, settings, policy),
  };
}

/** What would stop every call: no key, or a package that is not installed. null: nothing. Sends no request. */
export async function checkAiSdkModel(options: AiSdkOptions): Promise<Issue | null> {
  const ready = await readyLanguage(settingsOf(options));
  return ready.ok ? null : (ready.issues[0] ?? null);
}

async function readyLanguage(settings: Settings): Promise<Result<LanguageModel>> {
  const { provider } = settings.options;
  if (settings.keys.length > 0 || provider === 'compatible') return settings.language();
  const hint = `${provider} needs an API key: set ${keyVariables[provider].join(' or ')}, or pass apiKey`;
  return { ok: false, issues: [{ code: 'model.auth', path: '', hint }] };
}

async function ask(request: ModelRequest, settings: Settings, policy: RetryPolicy): Promise<ModelReply> {
  if (request.signal.aborted) return failedReply(aborted().issue, true);
  const language = await readyLanguage(settings);
  if (!language.ok) {
    const [issue = { code: 'model.request', path: '', hint: 'the model cannot be used' } as const] =
      language.issues;
    return failedReply(issue, false);
  }
  const attempt = () => attemptOnce(language.value, request, settings);
  const reply = await askWithRetries(attempt, policy, request.signal);
  return reply.ok && reply.usage.source === 'none' ? countReply(reply, request, settings) : reply;
}

/** Characters of an error message that are looked through; far fewer are kept. */
const SAID = 65_536;

/** One request. The attempt ends with its timeout, with the caller's signal, or with the reply. */
async function attemptOnce(
  language: LanguageModel,
  request: ModelRequest,
  settings: Settings,
): Promise<Attempt> {
  const { timeoutMs, maxOutputTokens, maxReplyBytes } = settings;
  const scrub: Scrub = (text) => settings.scrub(request.redact?.(text.slice(0, SAID)) ?? text);
  const own = new AbortController();
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    own.abort();
  }, timeoutMs);
  const signal = AbortSignal.any([request.signal, own.signal]);
  const seen = nothingSeen();
  let streams = false;
  try {
    const call = {
      thinking: settings.options.thinking,
      temperature: temperatureOf(settings),
      maxOutputTokens,
    };
    const options = callOptions(request, settings.description, call, signal);
    const { stream, request: sent } = await untilAborted(language.doStream(options), signal);
    streams = true;
    const mode = request.schema === null ? 'text' : settings.description.mode;
    const cap = sentCap(sent?.body) ?? maxOutputTokens;
    const read = readReply(stream, seen, { mode, maxReplyBytes, cap, scrub, now: Date.now });
    const result = await untilAborted(read, signal);
    return result.ok ? { ok: true, answer: hideInAnswer(result.answer, settings.keys) } : result;
  } catch (error) {
    const failure = request.signal.aborted
      ? aborted()
      : late
        ? timedOut(timeoutMs)
        : classify(error, scrub, Date.now());
    const cut = streams || request.signal.aborted || late;
    const usage = cut ? await usageOfCut(request, streams ? seen : null, settings) : failure.usage;
    return { ok: false, failure: { ...failure, usage } };
  } finally {
    clearTimeout(timer);
    own.abort();
  }
}

/**
 * The usage of a request that was sent and cut off. Known is what the provider said on the way, else a tokenizer's count
 * of what went out and came in where an answer had begun; nothing is made up for the rest, which is marked.
 */
async function usageOfCut(request: ModelRequest, seen: Seen | null, { options }: Settings): Promise<Usage> {
  if (seen === null || seen.known.source === 'provider') return cutUsage(seen?.known ?? noUsage);
  return cutUsage(await countUsage(request.prompt, seenText(seen), options.count));
}

/** Settles with `work` or with the abort, whichever is first, so that a stuck provider package cannot hang a step. */
async function untilAborted<T>(work: PromiseLike<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = () => reject(new Error('aborted'));
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** The output cap as it went over the wire: a package may raise it by a thinking budget or lower it. */
function sentCap(body: unknown): number | null {
  const sent = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  const google = sent['generationConfig'] as { maxOutputTokens?: unknown } | undefined;
  const caps = [
    sent['max_output_tokens'],
    sent['max_completion_tokens'],
    sent['max_tokens'],
    google?.maxOutputTokens,
  ];
  const cap = caps.find((value) => typeof value === 'number');
  return cap === undefined ? null : cap;
}

function hideInAnswer(answer: Answer, keys: readonly string[]): Answer {
  const { text, json } = answer;
  return { ...answer, text: hideKeys(text, keys), json: json === null ? null : hideKeys(json, keys) };
}

async function countReply(
  reply: ModelReply & { ok: true },
  request: ModelRequest,
  { options }: Settings,
): Promise<ModelReply> {
  const counted = await countUsage(request.prompt, reply.text + (reply.json ?? ''), options.count);
  return { ...reply, usage: counted };
}

function failedReply(issue: Issue, temporary: boolean): ModelReply {
  return { ok: false, issue, temporary, usage: noUsage, retries: [] };
}

function temperatureOf({ options }: Settings): number | null {
  return options.temperature === undefined ? (options.thinking ? null : 0) : options.temperature;
}

function policyOf({ retries, retry }: AiSdkOptions): RetryPolicy {
  return {
    retries: retries ?? 4,
    baseMs: 500,
    capMs: 60_000,
    sleep: (ms, signal) => sleep(ms, undefined, { signal }),
    random: Math.random,
    ...retry,
  };
}

function settingsOf(options: AiSdkOptions): Settings {
  const env = options.env ?? process.env;
  const apiKey = options.apiKey ?? keyVariables[options.provider].map((name) => env[name]).find(Boolean);
  const maxReplyBytes = options.maxReplyBytes ?? 1_000_000;
  const keys = apiKey ? [apiKey] : [];
  let loading: Promise<Result<LanguageModel>> | null = null;
  const load = () =>
    loadLanguageModel({
      provider: options.provider,
      model: options.model,
      api: options.api ?? 'responses',
      server: options.server ?? 'other',
      baseURL: options.baseURL,
      apiKey,
      // A line of an event stream holds escaped text; small deltas come in envelopes of a few hundred bytes.
      fetch: limitedFetch(4 * maxReplyBytes, 32 * maxReplyBytes),
    });
  return {
    options,
    description: describeProvider(options),
    keys,
    scrub: createScrub(keys),
    timeoutMs: options.timeoutMs ?? 180_000,
    maxReplyBytes,
    maxOutputTokens: options.maxOutputTokens ?? 8_192,
    language: () => (loading ??= load()),
  };
}
