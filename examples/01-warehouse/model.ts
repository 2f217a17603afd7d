/**
 * The reference reader as a model: a function from prompt text to reply text, and nothing else. Like the models of the
 * paper it reasons for 400 to 700 characters a turn; WAREHOUSE_REASONING=none turns that off.
 */
import { createReference } from '@skillstate/bench';

const reference = createReference({
  reasoning: process.env['WAREHOUSE_REASONING'] === 'none' ? 'none' : 'paper',
});

export default function reply(prompt: string, call: number): string {
  return reference.reply(prompt, call - 1);
}
