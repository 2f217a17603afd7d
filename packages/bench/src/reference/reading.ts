import type { JsonDocument } from '../env/environment.ts';
import { TELEMETRY_HEADER } from '../env/noise.ts';
import { objectEnd } from '../strategy/object-end.ts';

/** The reply form that the prompt asks for: A.1 and A.2, A.3, or A.4 and the `cached` layout. */
export type ReplyForm = 'action' | 'state-update' | 'patch';

/** What the reader finds in a prompt, whatever strategy wrote it. */
export type Reading = {
  readonly form: ReplyForm;
  /** The state block, null where the prompt has none or it cannot be read. */
  readonly state: JsonDocument | null;
  /** Summary and transcript, oldest first, telemetry removed; empty where the prompt has none. */
  readonly past: string;
  /** The latest observation, telemetry removed. */
  readonly observation: string;
  /** Everything before state, past and observation. */
  readonly instructions: string;
  /** The reply is the bare JSON of a transition (tool call or structured output), with no prose around it. */
  readonly bare: boolean;
  readonly tools: {
    /** Actions are `{tool, args}`, not command strings. */
    readonly objects: boolean;
    /** The run has a `finish` action. */
    readonly finish: boolean;
  };
};

const OBSERVATION = /^(?:Latest Observation:|## Observation\b)/gm;
const STATE = /^(?:Skill Execution State:|Current State:|## State\b)/gm;
const BARE =
  /Call propose_transition|One propose_transition call|Answer with one JSON object|A JSON object containing/;
const PAST = /^(?:Summarized History:|Recent History:|History:)/m;
const TAIL =
  /^(?:## (?!Observation)|Notices:|Generate your next reasoning|Update the state if necessary|Provide your response)/m;

/** Reads a prompt. The last occurrence of a section counts; a missing section is empty, never an error. */
export function readPrompt(prompt: string): Reading {
  const observationAt = lastIndex(OBSERVATION, prompt) ?? prompt.length;
  const stateAt = lastIndex(STATE, prompt.slice(0, observationAt));
  const pastAt = firstIndex(PAST, prompt.slice(0, observationAt));
  const rest = prompt.slice(observationAt);
  const tailAt = firstIndex(TAIL, rest.slice(1));
  const body = tailAt === null ? rest : rest.slice(0, tailAt + 1);
  const tail = tailAt === null ? '' : rest.slice(tailAt + 1);
  const past = pastAt === null ? '' : prompt.slice(pastAt, observationAt);
  return {
    form: replyForm(prompt, tail),
    state: stateAt === null ? null : firstJson(prompt.slice(stateAt, observationAt)),
    past: past === '' ? '' : withoutTelemetry(past),
    observation: withoutTelemetry(plainText(body)),
    instructions: prompt.slice(0, Math.min(stateAt ?? prompt.length, pastAt ?? prompt.length, observationAt)),
    bare: BARE.test(tail),
    tools: { objects: /"action": \{"tool"/.test(prompt), finish: /\bfinish\b/.test(prompt) },
  };
}

function lastIndex(pattern: RegExp, text: string): number | null {
  return [...text.matchAll(pattern)].at(-1)?.index ?? null;
}

function firstIndex(pattern: RegExp, text: string): number | null {
  return pattern.exec(text)?.index ?? null;
}

function replyForm(prompt: string, tail: string): ReplyForm {
  for (const text of [tail, prompt]) {
    if (/state_patch/.test(text)) return 'patch';
    if (/StateUpdate:/.test(text)) return 'state-update';
    if (/Action: <cmd>/.test(text)) return 'action';
  }
  return 'action';
}

/** The first complete JSON object of a text, fenced or bare; null if none parses. */
function firstJson(text: string): JsonDocument | null {
  const start = text.indexOf('{');
  if (start < 0) return null;
  const fence = text.indexOf('\n```', start);
  const end = fence < 0 ? (objectEnd(text, start) ?? text.length) : fence;
  try {
    return JSON.parse(text.slice(start, end)) as JsonDocument;
  } catch {
    return null;
  }
}

/** Undoes JSON string escapes and line quotes, in which a layout may have wrapped the text. */
function plainText(text: string): string {
  return text
    .replace(/\\r\\n|\\n/g, '\n')
    .replace(/\\"/g, '"')
    .replace(/^[ \t]*[>|] ?/gm, '');
}

const TELEMETRY_LINE = /^\[[A-Z]+(?:-\d+)?\] .*$/gm;

function withoutTelemetry(text: string): string {
  return text.replaceAll(TELEMETRY_HEADER, '').replace(TELEMETRY_LINE, '');
}
