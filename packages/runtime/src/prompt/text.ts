import type { Prompt } from '../types.ts';

/** The exact text that a model reads: the parts joined by a blank line. */
export function promptText(prompt: Prompt): string {
  return prompt.map((part) => part.text).join('\n\n');
}
