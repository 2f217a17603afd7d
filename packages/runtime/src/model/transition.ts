import { capText } from '../json/cap.ts';
import { parseJson } from '../json/parse.ts';
import { ACTION_KEY, PATCH_KEY, TRANSITION_TOOL } from '../state/reply-format.ts';
import type { Issue, ModelReply, ParsedReply, Result } from '../types.ts';
import { around, type Candidate, type Located, locate, namesIn } from './locate.ts';
import { repairJson } from './repair.ts';
import { isObject, type Notes, type ReplyContext } from './notes.ts';
import { readTransition, type Shaped } from './shape.ts';

export type { ReplyContext } from './notes.ts';

/** Longest reply that is read, in UTF-16 units; a longer one is refused before it is looked at. */
export const REPLY_LIMIT = 1024 * 1024;
const FRAGMENT_BYTES = 1024;
const BLOCK = '```json';

type Answer = ModelReply & { readonly ok: true };
/** The stretch of text that is the transition, and what stands around it. */
type Found = { readonly text: string; readonly reasoning: string };

/**
 * Reads exactly one transition from a reply (R5), or says what is wrong as issues; nothing is guessed and nothing is run.
 *
 * Text mode: one JSON object after any prose and thinking, in a ```json fence or bare. Tool mode: one call. Structured
 * mode: the JSON of the answer. Codes: `syntax.truncated`, `.too_large`, `.no_transition`, `.two_candidates`, `.wrapped`,
 * `.not_object`, `.missing_key`, `.extra_key`, `.patch_form`, `.action_form`, those of `parseJson`, and `model.refusal`.
 */
export function parseTransition(reply: Answer, context: ReplyContext): Result<ParsedReply> {
  const found = find(reply, context);
  if (!found.ok) return found;
  const notes: Notes = { issues: [], remarks: [] };
  const shaped = read(found.value.text, context, notes);
  if (shaped === null) return { ok: false, issues: notes.issues };
  const reasoning = [found.value.reasoning, shaped.reasoning].filter((text) => text !== '').join('\n');
  const transition = { reasoning, patch: shaped.patch, action: shaped.action };
  return { ok: true, value: { transition, remarks: notes.remarks } };
}

/**
 * The part of a refused reply that the next prompt may show: the transition's own JSON, capped. Empty where nothing must be
 * replayed (a reply that was cut off, P04) or where no single transition was found; never any reasoning (R1).
 */
export function refusedFragment(reply: Answer, context: ReplyContext): string {
  const found = find(reply, context);
  if (!found.ok) return '';
  const parsed = parseJson(found.value.text);
  if (!parsed.ok) return /reasoning["']?\s*:/.test(found.value.text) ? '' : cap(found.value.text);
  if (!isObject(parsed.value)) return cap(found.value.text);
  const { reasoning: _, ...shown } = parsed.value;
  return cap(JSON.stringify(shown));
}

function cap(text: string): string {
  return capText(text, FRAGMENT_BYTES).text;
}

function read(text: string, context: ReplyContext, notes: Notes): Shaped | null {
  const parsed = parseJson(text);
  if (parsed.ok) return readTransition(parsed.value, context, notes);
  const repaired = parsed.issues.every((issue) => issue.code === 'syntax.json') ? repairJson(text) : null;
  const again = repaired === null || repaired.kinds.length === 0 ? null : parseJson(repaired.text);
  if (repaired === null || again === null || !again.ok) {
    notes.issues.push(...parsed.issues);
    return null;
  }
  if (!context.skill.repairJson) {
    const fix = `write strict JSON: remove ${repaired.kinds.join(', ')}`;
    notes.issues.push(...parsed.issues.map((issue) => ({ ...issue, hint: `${fix}; ${issue.hint}` })));
    return null;
  }
  notes.remarks.push(`repaired JSON: ${repaired.kinds.join(', ')}`);
  return readTransition(again.value, context, notes);
}

function find(reply: Answer, context: ReplyContext): Result<Found> {
  const size = Math.max(reply.text.length, reply.json?.length ?? 0);
  if (reply.finish === 'length') return refused('syntax.truncated', truncatedHint);
  if (size > REPLY_LIMIT)
    return refused('syntax.too_large', `at most ${REPLY_LIMIT} characters are read; this reply has ${size}`);
  if (reply.finish === 'refusal')
    return refused('model.refusal', 'the model refused to answer; a person should look at the step');
  if (context.mode === 'tool') return findCall(reply);
  const text = context.mode === 'structured' ? (reply.json ?? reply.text) : reply.text;
  const whole = text.trim();
  if (context.mode === 'structured' && whole.startsWith('{')) return ok({ text: whole, reasoning: '' });
  return choose(text, locate(text));
}

const truncatedHint =
  'the output hit its length cap and was cut off; nothing of it was used. Reason less and send a smaller payload: ' +
  'split large text over several steps';

function findCall(reply: Answer): Result<Found> {
  if (reply.calls > 1)
    return refused(
      'syntax.two_candidates',
      `call ${TRANSITION_TOOL} once; it was called ${reply.calls} times`,
    );
  if (reply.calls === 0 || reply.json === null)
    return refused('syntax.no_transition', `call ${TRANSITION_TOOL} once; text alone does nothing`);
  return ok({ text: reply.json, reasoning: reply.text.trim() });
}

function choose(text: string, located: Located): Result<Found> {
  if (located.gaveUp)
    return refused('syntax.no_transition', `too many unfinished objects; write one ${BLOCK} block`);
  const { candidates, open } = located;
  const patches = candidates.filter(({ names }) => names === 'patch');
  const [only] = patches;
  if (only === undefined) return chooseOther(text, located);
  const rivals = candidates.filter((other) => other !== only && (other.names === 'patch' || isRival(other)));
  if (rivals.length > 0 || (open !== null && open.start > only.start && open.names === 'patch'))
    return refused('syntax.two_candidates', twoHint(rivals.length + 1));
  if (open !== null && open.start < only.start && spoils(text, open, only)) return found(text, open);
  return found(text, only);
}

/** A second block that only names an action could be meant as one. */
function isRival(other: Candidate): boolean {
  return other.fenced && other.names === 'action';
}

/** Whether an object that never closes may be what holds the candidate, so that taking it would be a repair. */
function spoils(text: string, open: Candidate, only: Candidate): boolean {
  return !only.fenced || namesIn(text.slice(open.start, only.start)) !== 'neither';
}

/** No complete value names `state_patch`: an unfinished one, or the single value that stands for the reply. */
function chooseOther(text: string, { candidates, open }: Located): Result<Found> {
  if (open !== null && open.names !== 'neither') return found(text, open);
  const alone = /^\s*[{[]/.test(text) && candidates.length === 1;
  const likely = candidates.filter((one) => one.fenced || one.names === 'action' || alone);
  const [only] = likely;
  if (only === undefined || likely.length > 1) return refused('syntax.no_transition', noneHint(text));
  return found(text, only);
}

function noneHint(text: string): string {
  const form = `end the reply with one ${BLOCK} block: an object with exactly the keys ${PATCH_KEY} and ${ACTION_KEY}`;
  return namesIn(text) === 'neither'
    ? `no transition was found; ${form}`
    : `what looks like a transition stands inside reasoning or a fence that is not ${BLOCK}; ${form}`;
}

function twoHint(count: number): string {
  return `${count} JSON objects look like transitions; write exactly one, with both ${PATCH_KEY} and ${ACTION_KEY}, and no drafts`;
}

function found(text: string, part: Candidate): Result<Found> {
  return ok({ text: text.slice(part.start, part.end), reasoning: around(text, part) });
}

function ok(value: Found): Result<Found> {
  return { ok: true, value };
}

function refused<T>(code: Issue['code'], hint: string): Result<T> {
  return { ok: false, issues: [{ code, path: '', hint }] };
}
