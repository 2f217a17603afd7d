import { textMember } from '../json/member.ts';
import { type BuiltinName, builtinSpecs } from '../action/builtin.ts';
import { decodeUtf8 } from '../json/wellformed.ts';
import type { RunEvent, Tool, ToolCall, ToolResult, ToolSpec } from '../types.ts';
import { commit, type Session } from './session.ts';

/** The built-ins that run like tools, bound to this run's own log and payloads. */
export function builtinTool(session: Session, name: BuiltinName): Tool | undefined {
  const spec = builtinSpecs(true).find((known) => known.name === name) as ToolSpec;
  if (name === 'read_payload') return { ...spec, run: (call) => readPayload(session, call) };
  if (name === 'recall') return { ...spec, run: (call) => recall(session, call) };
  return undefined;
}

/** A range of a payload, or of an event by its address (`e12`), in bytes, never splitting a character. */
async function readPayload(session: Session, call: ToolCall): Promise<ToolResult> {
  const handle = textMember(call.args, 'handle');
  const seq = /^e([1-9]\d{0,14})$/.exec(handle)?.[1];
  const bytes =
    seq === undefined ? await payloadBytes(session, handle) : await eventBytes(session, Number(seq));
  if (bytes === null) return { status: 'error', text: `no payload ${handle.slice(0, 64)} in this run` };
  if (bytes === 'pruned') return { status: 'error', text: `${handle} was pruned` };
  const start = Math.min(Number(call.args['start'] ?? 0), bytes.length);
  const room = Math.max(64, session.skill.observation.resultBytes - 200);
  const length = Math.min(Number(call.args['length'] ?? room), room);
  const [from, to] = [boundary(bytes, start), boundary(bytes, Math.min(bytes.length, start + length))];
  const { text } = decodeUtf8(bytes.subarray(from, to));
  return { status: 'ok', text: `[bytes ${from} to ${to} of ${bytes.length}]\n${text}` };
}

async function payloadBytes(session: Session, handle: string): Promise<Uint8Array | 'pruned' | null> {
  const found = await session.store.payload(session.head.run, handle);
  return found === null || found === 'pruned' ? found : found.bytes;
}

/** What an event says, as JSON; long texts stand in it as handles. */
async function eventBytes(session: Session, seq: number): Promise<Uint8Array | null> {
  const event = await eventAt(session, seq);
  if (event === null) return null;
  const { v: _, prev: __, hash: ___, ...said } = event;
  return new TextEncoder().encode(JSON.stringify(said));
}

async function eventAt(session: Session, seq: number): Promise<RunEvent | null> {
  for await (const event of session.store.events(session.head.run, { from: seq, to: seq })) return event;
  return null;
}

/** The nearest start of a UTF-8 character at or before `at`. */
function boundary(bytes: Uint8Array, at: number): number {
  let position = at;
  while (position > 0 && position < bytes.length && ((bytes[position] ?? 0) & 0xc0) === 0x80) position--;
  return position;
}

/** Characters of one excerpt, and how many hits are looked at to leave recall's own out. */
const EXCERPT = 240;
const MOST_HITS = 100;

/**
 * Bounded full-text search over this run's committed events; nothing in it can fail on any query. What recall itself
 * left in the log is not found again.
 */
async function recall(session: Session, call: ToolCall): Promise<ToolResult> {
  if (session.deferred.bodies.length > 0) await commit(session, 'outcome', {});
  const query = textMember(call.args, 'query');
  if (query.trim() === '') return { status: 'ok', text: 'nothing to look for: give words' };
  const limit = Number(call.args['limit'] ?? 5);
  const lines: string[] = [];
  for (const hit of await session.store.search(session.head.run, query, MOST_HITS)) {
    if (lines.length === limit) break;
    const event = await eventAt(session, hit.seq);
    if (event === null || isOfRecall(event)) continue;
    const step = 'step' in event ? `, step ${event.step}` : '';
    const whole = hit.handle === null ? '' : `, in ${hit.handle}`;
    lines.push(`e${hit.seq} ${event.type}${step}${whole}: ${hit.excerpt.slice(0, EXCERPT).toWellFormed()}`);
  }
  if (lines.length === 0) return { status: 'ok', text: 'nothing found' };
  return { status: 'ok', text: `${lines.join('\n')}\n[read_payload opens an address such as e12 or p-…]` };
}

/** A search, or a second copy of what the log holds already. */
function isOfRecall(event: RunEvent): boolean {
  if (event.type === 'step.accepted') return LOOKS_BACK.has(event.action.tool);
  return event.type === 'action.finished' && LOOKS_BACK.has(event.tool);
}

const LOOKS_BACK: ReadonlySet<string> = new Set(['recall', 'read_payload']);
