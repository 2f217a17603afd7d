import { sha256 } from '../json/text.ts';
import type { EventText, Payload } from '../types.ts';

/** Largest text, in UTF-8 bytes, that an event holds itself. */
export const INLINE_BYTES = 1024;

const encoder = new TextEncoder();

/** Bytes that live beside the chain. The handle is for people and prompts; the hash is what the chain covers. */
export function toPayload(bytes: Uint8Array, mimeType: string): Payload {
  const digest = sha256(bytes);
  const ref = { handle: `p-${digest.slice(0, 16)}`, sha256: digest, bytes: bytes.byteLength, mimeType };
  return { ref, bytes };
}

/** Text for an event: itself where at most `inlineLimit` bytes, else a reference and the payload to store with it. */
export function eventText(
  text: string,
  inlineLimit: number = INLINE_BYTES,
): { readonly text: EventText; readonly payload: Payload | null } {
  if (text.length <= inlineLimit && Buffer.byteLength(text) <= inlineLimit) return { text, payload: null };
  const payload = toPayload(encoder.encode(text), 'text/plain');
  return { text: payload.ref, payload };
}
