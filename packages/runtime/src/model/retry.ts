import type { ModelReply, ModelRetry, Usage } from '../types.ts';
import { aborted, type Failure } from './failure.ts';
import { addUsage, noUsage } from './usage.ts';

export type Answer = Omit<ModelReply & { ok: true }, 'ok' | 'retries'>;
export type Attempt =
  | { readonly ok: true; readonly answer: Answer }
  | { readonly ok: false; readonly failure: Failure };

export type RetryPolicy = {
  /** Attempts after the first. */
  readonly retries: number;
  readonly baseMs: number;
  /** Longest pause, also where the provider asks for more. */
  readonly capMs: number;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** In [0, 1). */
  random(): number;
};

/**
 * Runs `attempt` until it answers, fails for good or the retries are used up. Each pause is listed in the reply; the
 * usage of failed attempts is added where it was reported. Never throws for what an attempt returns.
 */
export async function askWithRetries(
  attempt: () => Promise<Attempt>,
  policy: RetryPolicy,
  signal: AbortSignal,
): Promise<ModelReply> {
  const retries: ModelRetry[] = [];
  let usage = noUsage;
  for (;;) {
    const result = await attempt();
    if (result.ok) {
      return { ok: true, ...result.answer, usage: addUsage(usage, result.answer.usage), retries };
    }
    const { failure } = result;
    usage = addUsage(usage, failure.usage);
    if (!failure.retry || retries.length >= policy.retries) return failed(failure, usage, retries);
    const waitMs = pause(retries.length, failure.retryAfterMs, policy);
    retries.push({ code: failure.issue.code, waitMs, hint: failure.issue.hint });
    try {
      await policy.sleep(waitMs, signal);
    } catch {
      return failed(aborted(), usage, retries);
    }
  }
}

/** What the provider asked for, else exponential backoff of which a random half is taken off; both capped. */
export function pause(retry: number, retryAfterMs: number | null, policy: RetryPolicy): number {
  if (retryAfterMs !== null) return Math.min(policy.capMs, Math.ceil(retryAfterMs));
  const full = Math.min(policy.capMs, policy.baseMs * 2 ** retry);
  return Math.round(full * (1 - policy.random() / 2));
}

function failed(failure: Failure, usage: Usage, retries: readonly ModelRetry[]): ModelReply {
  return { ok: false, issue: failure.issue, temporary: failure.temporary, usage, retries };
}
