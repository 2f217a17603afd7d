import type { Issue, Usage } from '../types.ts';
import type { Scrub } from './scrub.ts';
import { noUsage } from './usage.ts';

/** Why one attempt gave no reply. */
export type Failure = {
  readonly issue: Issue;
  /** Asking again at once, after a pause, can help. */
  readonly retry: boolean;
  /** Asking again later can help; else a person must act. */
  readonly temporary: boolean;
  /** What the provider asked to wait; null: it did not say. */
  readonly retryAfterMs: number | null;
  readonly usage: Usage;
};

/** Thrown by the reading side of a stream that passed its byte limit. */
export class ReplyTooLarge extends Error {
  override readonly name = 'ReplyTooLarge';
}

type Traits = Pick<Failure, 'retry' | 'temporary'>;
const again: Traits = { retry: true, temporary: true };
const never: Traits = { retry: false, temporary: false };

export function failure(
  code: `model.${string}`,
  hint: string,
  traits: Traits,
  retryAfterMs: number | null = null,
  usage: Usage = noUsage,
): Failure {
  return { issue: { code, path: '', hint }, ...traits, retryAfterMs, usage };
}

export function emptyReply(usage: Usage): Failure {
  return failure('model.empty', 'the model replied with nothing', again, null, usage);
}

export function deadStream(hint: string, usage: Usage): Failure {
  return failure('model.connection', `the reply ended before it was complete: ${hint}`, again, null, usage);
}

export function timedOut(ms: number): Failure {
  return failure('model.timeout', `no complete reply within ${ms} ms`, again);
}

export function aborted(): Failure {
  return failure('model.aborted', 'the call was cancelled', { retry: false, temporary: true });
}

/**
 * Reads what a provider package threw or streamed as an error. It looks at `statusCode`, `responseHeaders`,
 * `responseBody` and the message only, so that it needs no package's classes.
 */
export function classify(error: unknown, scrub: Scrub, now: number): Failure {
  const tooLarge = causes(error).find((cause) => cause instanceof ReplyTooLarge);
  if (tooLarge) return failure('model.too_large', tooLarge.message, never);
  const message = scrub(messageOf(error));
  const status = statusOf(error);
  if (status === null && isMisuse(error)) return failure('model.request', message, never);
  if (status === null) return failure('model.connection', message, again);
  const wait = retryAfter(headersOf(error), now);
  const hint = `HTTP ${status}: ${message}`;
  if (status === 429) {
    if (isQuota(error)) return failure('model.quota', `${hint}. The account's quota is used up`, never);
    return failure('model.rate_limit', hint, again, wait);
  }
  if (status >= 500 || status === 408 || status === 409 || status === 425) {
    return failure('model.server', hint, again, wait);
  }
  return failure(...refusedRequest(status, hint, message), never);
}

function refusedRequest(status: number, hint: string, message: string): [`model.${string}`, string] {
  if (status === 401 || status === 403) {
    return ['model.auth', `${hint}. Check the API key and what it may use`];
  }
  if (status === 404) return ['model.not_found', `${hint}. Check the model's name and the base URL`];
  if (status >= 300 && status < 400) {
    return ['model.request', `${hint}. The server redirects; give the final base URL`];
  }
  if (
    status === 413 ||
    /context.{0,20}(length|window)|too (long|many tokens)|maximum.{0,20}tokens/i.test(message)
  ) {
    return [
      'model.request',
      `${hint}. The prompt is too large for this model: lower the field or observation limits`,
    ];
  }
  return ['model.request', `${hint}. The provider refuses this request as it is`];
}

/**
 * Milliseconds to wait by `retry-after-ms` or `Retry-After` (RFC 9110, 10.2.3: seconds or an HTTP date); null where
 * neither can be read.
 */
export function retryAfter(headers: Readonly<Record<string, string>>, now: number): number | null {
  const ms = Number.parseFloat(headers['retry-after-ms'] ?? '');
  if (Number.isFinite(ms) && ms >= 0) return ms;
  const value = headers['retry-after']?.trim();
  if (!value) return null;
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1_000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

function headersOf(error: unknown): Readonly<Record<string, string>> {
  const headers = member(error, 'responseHeaders');
  return typeof headers === 'object' && headers !== null ? (headers as Record<string, string>) : {};
}

function statusOf(error: unknown): number | null {
  const status = member(error, 'statusCode');
  return typeof status === 'number' && status >= 300 ? status : null;
}

/** The package refused the request before it was sent. */
function isMisuse(error: unknown): boolean {
  const name = member(error, 'name');
  return (
    typeof name === 'string' && /^AI_(Unsupported|InvalidArgument|InvalidPrompt|LoadAPIKey|NoSuch)/.test(name)
  );
}

/** The error and up to four causes behind it. */
function causes(error: unknown): readonly unknown[] {
  const chain = [error];
  while (chain.length < 5) chain.push(member(chain.at(-1), 'cause'));
  return chain;
}

function isQuota(error: unknown): boolean {
  const body = member(error, 'responseBody');
  return typeof body === 'string' && /insufficient_quota|billing_hard_limit/.test(body.slice(0, 4_000));
}

function messageOf(error: unknown): string {
  const message = typeof error === 'string' ? error : member(error, 'message');
  return typeof message === 'string' && message !== '' ? message : 'an error without a message';
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
