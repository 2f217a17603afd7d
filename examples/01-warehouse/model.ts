/** The reference reader as a model: a function from prompt text to reply text, and nothing else. */
import { createReference } from '@skillstate/bench';

const reference = createReference();

export default function reply(prompt: string, call: number): string {
  return reference.reply(prompt, call - 1);
}
