import { createHash } from 'node:crypto';
import type { Prompt, PromptPart } from '@skillstate/runtime';
import type { Measure } from '../strategy/budget.ts';
import type { CallRecord, PartRecord } from './result.ts';

const JOINT_CHARS = 2;

export type PromptRecord = Pick<
  CallRecord,
  'chars' | 'fixedChars' | 'same' | 'parts' | 'breaks' | 'sharedChars'
> & {
  readonly tokens: number;
};

/**
 * Keeps of every prompt what a cache simulation needs: hash and size of each distinct part once, and for each call the
 * difference to the call before. Holds the texts of one prompt only.
 */
export type PartTable = {
  readonly records: readonly PartRecord[];
  add(prompt: Prompt): PromptRecord;
};

export function createPartTable(tokens: Measure): PartTable {
  const records: PartRecord[] = [];
  const byHash = new Map<string, number>();
  const byObject = new WeakMap<PromptPart, number>();
  let before: Prompt = [];
  let beforeIndexes: readonly number[] = [];

  const indexOf = (part: PromptPart): number => {
    const known = byObject.get(part);
    if (known !== undefined) return known;
    const hash = createHash('sha256').update(`${part.role} ${part.text}`).digest('hex').slice(0, 16);
    const index =
      byHash.get(hash) ?? records.push({ hash, chars: part.text.length, tokens: tokens(part.text) }) - 1;
    byHash.set(hash, index);
    byObject.set(part, index);
    return index;
  };
  return {
    records,
    add(prompt) {
      const indexes = prompt.map(indexOf);
      const same = sameLead(indexes, beforeIndexes);
      const sum = (of: (record: PartRecord) => number): number =>
        indexes.reduce((total, index) => total + of(records[index] as PartRecord), 0);
      const record = {
        chars: sum(({ chars }) => chars) + JOINT_CHARS * Math.max(0, prompt.length - 1),
        tokens: sum((one) => one.tokens),
        fixedChars: fixedChars(prompt),
        same,
        parts: indexes.slice(same),
        breaks: prompt.flatMap(({ cache }, index) => (cache ? [index] : [])),
        sharedChars: sharedChars(prompt, before, same),
      };
      [before, beforeIndexes] = [prompt, indexes];
      return record;
    },
  };
}

function sameLead(a: readonly number[], b: readonly number[]): number {
  let same = 0;
  while (same < a.length && same < b.length && a[same] === b[same]) same += 1;
  return same;
}

/** Leading characters in common; what follows the equal parts is compared as joined text. */
function sharedChars(prompt: Prompt, before: Prompt, same: number): number {
  const lead = prompt.slice(0, same).reduce((sum, { text }) => sum + text.length + JOINT_CHARS, 0);
  const [one, two] = [prompt[same]?.text ?? '', before[same]?.text ?? ''];
  let i = 0;
  while (i < one.length && i < two.length && one.charCodeAt(i) === two.charCodeAt(i)) i += 1;
  return lead + i;
}

const PAPER_STATE = '\n\nSkill Execution State:';

/** Characters of the fixed prefix: the first part, or the text before Σ in the paper's layout, which is one part. */
export function fixedChars(prompt: Prompt): number {
  const [first] = prompt;
  if (first === undefined) return 0;
  const state = prompt.length === 1 ? first.text.indexOf(PAPER_STATE) : -1;
  return state < 0 ? first.text.length : state;
}
