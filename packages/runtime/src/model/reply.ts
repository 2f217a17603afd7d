import type { ReplyMode, Usage } from '../types.ts';
import { classify, deadStream, emptyReply } from './failure.ts';
import type { StreamPart } from './provider.ts';
import { TRANSITION_TOOL } from './request.ts';
import type { Attempt } from './retry.ts';
import type { Scrub } from './scrub.ts';
import { cutUsage, latestUsage, noUsage, usageInChunk, usageOf } from './usage.ts';

/** What came of a reply so far; it stays readable when the reading is cut off. */
export type Seen = {
  text: string;
  /** The arguments of each `propose_transition` call, exactly as the model wrote them. */
  readonly inputs: string[];
  readonly partial: Map<string, string>;
  bytes: number;
  usage: Usage;
  /** What the provider said on the way, before the end. */
  known: Usage;
  finish: string | null;
  otherTool: boolean;
  failure: { readonly error: unknown } | null;
};

export type ReadSettings = {
  readonly mode: ReplyMode;
  /** Text and arguments beyond this are not read: the reply counts as cut off. */
  readonly maxReplyBytes: number;
  /** The output cap that was sent. */
  readonly cap: number;
  readonly scrub: Scrub;
  now(): number;
};

export function nothingSeen(): Seen {
  return {
    text: '',
    inputs: [],
    partial: new Map(),
    bytes: 0,
    usage: noUsage,
    known: noUsage,
    finish: null,
    otherTool: false,
    failure: null,
  };
}

/** All text and arguments that came, for a count. */
export function seenText({ text, inputs, partial }: Seen): string {
  return [text, ...inputs, ...partial.values()].join('');
}

/**
 * Reads a provider's stream to its end, or to the byte limit. Throws what the stream throws; an error part in the
 * stream, a stream without an end and an empty reply are failures.
 */
export async function readReply(
  stream: ReadableStream<StreamPart>,
  seen: Seen,
  settings: ReadSettings,
): Promise<Attempt> {
  for await (const part of stream) {
    take(seen, part);
    if (seen.bytes > settings.maxReplyBytes) {
      seen.finish = 'length';
      break;
    }
  }
  return judge(seen, settings);
}

function take(seen: Seen, part: StreamPart): void {
  if (part.type === 'text-delta') {
    seen.text += part.delta;
    seen.bytes += Buffer.byteLength(part.delta);
  } else if (part.type === 'reasoning-delta') {
    seen.bytes += Buffer.byteLength(part.delta);
  } else if (part.type === 'tool-input-start') {
    if (part.toolName === TRANSITION_TOOL) seen.partial.set(part.id, '');
  } else if (part.type === 'tool-input-delta') {
    const before = seen.partial.get(part.id);
    if (before !== undefined) seen.partial.set(part.id, before + part.delta);
    seen.bytes += Buffer.byteLength(part.delta);
  } else if (part.type === 'tool-call') {
    seen.partial.delete(part.toolCallId);
    if (part.toolName === TRANSITION_TOOL) seen.inputs.push(part.input);
    else seen.otherTool = true;
  } else if (part.type === 'raw') {
    const known = usageInChunk(part.rawValue);
    if (known !== null) seen.known = latestUsage(seen.known, known);
  } else if (part.type === 'finish') {
    seen.usage = usageOf(part.usage);
    seen.finish = part.finishReason.unified;
  } else if (part.type === 'error') {
    seen.failure ??= { error: part.error };
  }
}

function judge(seen: Seen, settings: ReadSettings): Attempt {
  if (seen.failure && seen.finish !== 'length') {
    const failure = classify(seen.failure.error, settings.scrub, settings.now());
    return { ok: false, failure: { ...failure, usage: usageSeen(seen) } };
  }
  if (seen.finish === null || seen.finish === 'interrupted') {
    return { ok: false, failure: deadStream('the stream has no end mark', cutUsage(seen.known)) };
  }
  const finish = finishOf(seen, settings.cap);
  const inputs = [...seen.inputs, ...seen.partial.values()];
  if (finish === 'stop' && seen.text.trim() === '' && inputs.length === 0 && !seen.otherTool) {
    return { ok: false, failure: emptyReply(seen.usage) };
  }
  const asJson = settings.mode === 'structured' && finish !== 'refusal';
  const text = asJson ? '' : seen.text;
  const json = asJson ? seen.text : (inputs[0] ?? null);
  return { ok: true, answer: { text, json, calls: inputs.length, finish, usage: seen.usage } };
}

/** The provider's own report where the end came, else what it said before, marked as incomplete. */
function usageSeen({ usage, known }: Seen): Usage {
  return usage.source === 'provider' ? usage : cutUsage(known);
}

/**
 * A refusal wins over everything; output that reached the cap is truncated, whatever the provider calls it; a reply
 * that is merely malformed keeps its own finish.
 */
function finishOf(seen: Seen, cap: number): 'stop' | 'length' | 'refusal' | 'other' {
  if (seen.finish === 'content-filter') return 'refusal';
  if (seen.finish === 'length') return 'length';
  if (seen.usage.source === 'provider' && seen.usage.outputTokens >= cap) return 'length';
  return seen.finish === 'stop' || seen.finish === 'tool-calls' ? 'stop' : 'other';
}
