import { textMember } from '../json/member.ts';
import { type BuiltinName, builtinSpecs } from '../action/builtin.ts';
import { decodeUtf8 } from '../json/wellformed.ts';
import type { Tool, ToolCall, ToolResult, ToolSpec } from '../types.ts';
import { commit, type Session } from './session.ts';

/** The built-ins that run like tools, bound to this run's own log and payloads. */
export function builtinTool(session: Session, name: BuiltinName): Tool | undefined {
  const spec = builtinSpecs(true).find((known) => known.name === name) as ToolSpec;
  if (name === 'read_payload') return { ...spec, run: (call) => readPayload(session, call) };
  if (name === 'recall') return { ...spec, run: (call) => recall(session, call) };
  return undefined;
}

/** A range of a payload, in bytes, never splitting a character. */
async function readPayload(session: Session, call: ToolCall): Promise<ToolResult> {
  const handle = textMember(call.args, 'handle');
  const found = await session.store.payload(session.head.run, handle);
  if (found === null) return { status: 'error', text: `no payload ${handle.slice(0, 64)} in this run` };
  if (found === 'pruned') return { status: 'error', text: `${handle} was pruned` };
  const { bytes } = found;
  const start = Math.min(Number(call.args['start'] ?? 0), bytes.length);
  const room = Math.max(64, session.skill.observation.resultBytes - 200);
  const length = Math.min(Number(call.args['length'] ?? room), room);
  const [from, to] = [boundary(bytes, start), boundary(bytes, Math.min(bytes.length, start + length))];
  const { text } = decodeUtf8(bytes.subarray(from, to));
  return { status: 'ok', text: `[bytes ${from} to ${to} of ${bytes.length}]\n${text}` };
}

/** The nearest start of a UTF-8 character at or before `at`. */
function boundary(bytes: Uint8Array, at: number): number {
  let position = at;
  while (position > 0 && position < bytes.length && ((bytes[position] ?? 0) & 0xc0) === 0x80) position--;
  return position;
}

/** Bounded full-text search over this run's committed events; nothing in it can fail on any query. */
async function recall(session: Session, call: ToolCall): Promise<ToolResult> {
  if (session.deferred.bodies.length > 0) await commit(session, 'outcome', {});
  const query = textMember(call.args, 'query');
  const limit = Number(call.args['limit'] ?? 5);
  const hits = await session.store.search(session.head.run, query, limit);
  if (hits.length === 0) return { status: 'ok', text: 'nothing found' };
  const lines = hits.map(
    (hit) => `event ${hit.seq}${hit.handle === null ? '' : ` (${hit.handle})`}: ${hit.excerpt}`,
  );
  return { status: 'ok', text: lines.join('\n') };
}
