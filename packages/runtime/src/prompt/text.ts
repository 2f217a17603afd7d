import { byteLength } from '../json/wellformed.ts';
import type { Prompt } from '../types.ts';

/** UTF-8 bytes of `promptText`, without making it. */
export function promptBytes(prompt: Prompt): number {
  return prompt.reduce((sum, part) => sum + byteLength(part.text), 2 * Math.max(0, prompt.length - 1));
}

/** The exact text that a model reads: the parts joined by a blank line. */
export function promptText(prompt: Prompt): string {
  return prompt.map((part) => part.text).join('\n\n');
}
