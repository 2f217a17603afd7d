import type { Json, PayloadRef, RunEvent } from '../types.ts';

export function isPayloadRef(value: unknown): value is PayloadRef {
  if (typeof value !== 'object' || value === null) return false;
  const { handle, sha256, bytes, mimeType } = value as Partial<PayloadRef>;
  const strings = typeof handle === 'string' && typeof sha256 === 'string' && typeof mimeType === 'string';
  return strings && typeof bytes === 'number';
}

/** Every payload that an event refers to, in order. */
export function payloadRefs(event: RunEvent): readonly PayloadRef[] {
  const found: PayloadRef[] = [];
  const stack: Json[] = [event as unknown as Json];
  for (let value = stack.pop(); value !== undefined; value = stack.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    if (isPayloadRef(value)) found.push(value);
    else for (const item of Object.values(value).reverse()) stack.push(item as Json);
  }
  return found;
}
