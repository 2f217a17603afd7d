import { byteLength } from '../json/wellformed.ts';
import { compileContract } from '../state/contract.ts';
import type { Dialect, Issue, Json, Notice, Observation, ReplyMode, Skill, ToolSpec } from '../types.ts';
import { BOUNDS } from './bounds.ts';
import { fixedFor, fixedParts } from './fixed.ts';
import { noticesText } from './notices.ts';
import { observationText } from './observation.ts';
import { paperText } from './paper.ts';
import { stepText } from './render.ts';
import { TIME_LENGTH } from './time.ts';

/** The largest prompt that a skill can ever get, by part, in UTF-8 bytes (R3). */
export type WorstCasePrompt = {
  readonly instructions: number;
  readonly tools: number;
  readonly contract: number;
  readonly reply: number;
  readonly state: number;
  readonly observation: number;
  readonly notices: number;
  readonly total: number;
};

type Form = { readonly mode: ReplyMode; readonly dialect: Dialect };

/** Computed before a run, by rendering the largest observation and notices there can be; the state counts as its bound. */
export function worstCasePrompt(skill: Skill, tools: readonly ToolSpec[], form: Form): WorstCasePrompt {
  const fixed = fixedParts(skill, tools, form.mode, form.dialect);
  const { text, reminder } = fixedFor({ skill, tools, ...form });
  const state = compileContract(skill.state).worstCaseBytes.total;
  const observation = observationText(largestObservation(skill, '\n'), skill.observation, LONG_TIME);
  const notices = noticesText(largestNotices());
  const step = byteLength(stepText({ state: '', observation, notices, reminder }));
  const cached = byteLength(`${text}\n\n`) + step;
  return {
    instructions: byteLength(fixed.instructions),
    tools: byteLength(fixed.tools),
    contract: byteLength(fixed.contract),
    reply: byteLength(fixed.reply),
    state,
    observation: byteLength(observation),
    notices: byteLength(notices),
    total: state + (skill.layout === 'paper' ? paperBytes(skill, tools, form) : cached),
  };
}

function paperBytes(skill: Skill, tools: readonly ToolSpec[], form: Form): number {
  const observation = largestObservation(skill, '#\n');
  const input = { skill, tools, state: {}, observation, notices: largestNotices(), ...form };
  return byteLength(paperText(input)) - byteLength('{}');
}

const LONG_TIME = (): string => 't'.repeat(TIME_LENGTH);
const LONG = Number.MAX_SAFE_INTEGER;
const NAME = 'n'.repeat(BOUNDS.name);

/** `fill` is what grows most when it is made safe. */
function largestObservation({ observation: limits }: Skill, fill: string): Observation {
  const size = { shownBytes: LONG, totalBytes: LONG, handle: NAME, at: 0 };
  const args = { a: 'a'.repeat(BOUNDS.args) } as { readonly [key: string]: Json };
  const text = (bytes: number): string => fill.repeat(bytes).slice(0, bytes);
  return {
    step: LONG,
    now: 0,
    zone: 'z'.repeat(64),
    result: {
      ...size,
      action: { tool: NAME, args },
      source: NAME,
      trust: 'tool',
      status: 'unknown',
      text: text(limits.resultBytes),
    },
    messages: Array.from({ length: limits.messages }, () => ({
      ...size,
      seq: LONG,
      from: NAME,
      trust: 'outside' as const,
      text: text(limits.messageBytes),
    })),
    queued: LONG,
    budget: { steps: LONG, tokens: LONG, costUsd: 1e20 },
  };
}

/** Each text fills its bound when quoted. */
function largestNotices(): readonly Notice[] {
  const issue: Issue = {
    code: `syntax.${'c'.repeat(BOUNDS.issueCode)}`,
    path: 'p'.repeat(BOUNDS.issuePath),
    hint: 'h'.repeat(BOUNDS.issueHint),
  };
  const other: Notice = { kind: 'no_progress', text: `\n${'x'.repeat(BOUNDS.noticeText - 5)}` };
  return [
    ...Array.from({ length: BOUNDS.notices + BOUNDS.more }, () => other),
    {
      kind: 'rejected',
      attempt: LONG,
      left: LONG,
      issues: Array.from({ length: BOUNDS.issues + BOUNDS.more }, () => issue),
      fragment: 'x'.repeat(BOUNDS.fragment - 2),
    },
  ];
}
