import { randomAt } from '../env/random.ts';

const SENTENCES = [
  'First I check what the latest observation asks for.',
  'The result of the previous command comes before anything else.',
  'Then I compare it with what is already known at this point.',
  'Only one command can be given in this turn, so the order matters.',
  'Unrelated readings in the text do not change what has to be done.',
  'Nothing in the rules forbids the choice that follows from this.',
  'If the command is refused, the next observation will say why.',
  'What later turns will need has to be kept now.',
  'I see no conflict between the known facts and this event.',
  'With that settled, the command below is the one that fits.',
] as const;

/** Longest and shortest reasoning, in characters; both 0 for none. */
export type ReasoningLength = { readonly least: number; readonly most: number };

/** Filler of a seeded length that names no item, shelf, branch or commit. Empty where `most` is 0. */
export function reasoning(length: ReasoningLength, seed: number, call: number): string {
  if (length.most === 0) return '';
  const random = randomAt(seed, 'reasoning', call);
  const wanted = length.least + random.below(length.most - length.least + 1);
  let text = '';
  while (text.length < wanted) text += `${text === '' ? '' : ' '}${random.pick(SENTENCES)}`;
  return `${text.slice(0, wanted - 1).trimEnd()}.`.padEnd(wanted, '.');
}
