import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '@skillstate/runtime';
import { type Case, corpus } from './corpus.ts';
import { judge, noticesOf } from './judge.ts';
import { repairReply } from './repairer.ts';
import { situation } from './world.ts';

type Outcome = { readonly state: JsonObject; readonly action: unknown };

/** Whether the outcome is what the reply's author meant: the named members of the state, and the action. */
function isMeant({ means }: Case, { state, action }: Outcome): boolean {
  const members = Object.entries(means?.state ?? {});
  const same = members.every(([key, value]) => isDeepStrictEqual(state[key], value));
  return same && (means?.action === undefined || isDeepStrictEqual(action, means.action));
}

describe('each reply of the corpus gets its verdict', () => {
  test('the corpus is large enough and its names are unique', () => {
    expect(corpus.length).toBeGreaterThanOrEqual(80);
    expect(new Set(corpus.map(({ name }) => name)).size).toBe(corpus.length);
  });

  test.each(corpus.map((about) => [about.name, about] as const))('%s', (_, about) => {
    const verdict = judge(about.reply, about);
    const issues = verdict.ok ? [] : verdict.issues.map(({ code, path }) => `${code} ${path}`.trim());
    expect(issues).toEqual(about.issues);
    if (verdict.ok) expect(isMeant(about, verdict.value), JSON.stringify(verdict.value)).toBe(true);
  });

  test('a refused reply leaves the state as it was', () => {
    const before = JSON.stringify(situation({}).state);
    for (const about of corpus) judge(about.reply, about);
    expect(JSON.stringify(situation({}).state)).toBe(before);
  });
});

describe('a small repairer', () => {
  const refused = corpus.flatMap((about) => {
    const verdict = judge(about.reply, about);
    return verdict.ok ? [] : [{ about, notices: noticesOf(verdict.issues, about) }];
  });

  /** The cap that cut the first reply off cuts the retry too, unless it is shorter. */
  function retry(about: Case, text: string): Case {
    const finish = about.finish === 'length' && text.length >= about.reply.length ? 'length' : 'stop';
    return { ...about, reply: text, finish, calls: 1 };
  }

  test('that sees only the notices and its own reply fixes at least 95% of the refused replies in one retry', () => {
    const failed = refused.flatMap(({ about, notices }) => {
      const again = retry(about, repairReply(notices, about.reply));
      const verdict = judge(again.reply, again);
      if (verdict.ok && isMeant(about, verdict.value)) return [];
      return [`${about.name}\n  ${again.reply}\n  ${JSON.stringify(verdict)}\n${notices}`];
    });
    const rate = 1 - failed.length / refused.length;
    console.log(
      `repaired in one retry: ${refused.length - failed.length} of ${refused.length} (${(100 * rate).toFixed(1)}%)`,
    );
    expect(rate, failed.join('\n')).toBeGreaterThanOrEqual(0.95);
  });

  test('that is told nothing fixes far fewer: the hints do the work', () => {
    const blind = refused.filter(({ about }) => {
      const again = retry(about, repairReply('', about.reply));
      const verdict = judge(again.reply, again);
      return verdict.ok && isMeant(about, verdict.value);
    });
    console.log(`repaired without hints: ${blind.length} of ${refused.length}`);
    expect(blind.length / refused.length).toBeLessThan(0.5);
  });
});
