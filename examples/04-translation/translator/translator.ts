/**
 * The translator: a model that reads nothing but its prompt and makes the same mistakes in every arm. It is a function of
 * the prompt's text and a seed.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { ReplyFunction } from '@skillstate/runtime';
import { decide, type Decision } from './decide.ts';
import { type FaultPlan, planFaults } from './faults.ts';
import type { Known, Plan, Planned } from './knowledge.ts';
import { translate } from './knowledge.ts';
import { readArticle, readState, readTranscript } from './reading.ts';

export type TranslatorOptions = {
  readonly seed: number;
  /** How long an answer takes: the CMS's cache lives as long as so many answers. */
  readonly latencyMs: number;
};

export function createTranslator({ seed, latencyMs }: TranslatorOptions): ReplyFunction {
  const plan = planFaults(seed);
  return async (prompt) => {
    await pause(latencyMs);
    return reply(prompt, plan);
  };
}

function reply(prompt: string, plan: FaultPlan): string {
  const article = readArticle(prompt);
  if (article !== null)
    return translate(article.id, article.paragraphs, plan, false)
      .map((text, index) => `⟦P${index + 1}⟧${text}⟦/P${index + 1}⟧`)
      .join('\n');
  if (prompt.includes('\n## State\n')) return stateReply(readState(prompt), plan);
  const { articles, action } = decide(readTranscript(prompt, plan), plan);
  const done = Object.keys(articles).filter((id) => articles[id]?.status === 'done');
  return `Next: ${action.tool}.${done.length > 0 ? `\nDone: ${done.join(', ')}` : ''}\n${fenced({ action })}`;
}

function stateReply(known: Known, plan: FaultPlan): string {
  const decision = decide(known, plan);
  return `Next: ${decision.action.tool}.\n${fenced({ state_patch: patchOf(known, decision), action: decision.action })}`;
}

function fenced(value: object): string {
  return `\`\`\`json\n${JSON.stringify(value)}\n\`\`\``;
}

/** Only what changed, as a merge patch. */
function patchOf({ articles: before }: Known, { articles, verify }: Decision): object {
  const changed = Object.entries(articles).flatMap(([id, article]) => {
    const change = memberChanges(before[id], article);
    return Object.keys(change).length === 0 ? [] : [[id, change] as const];
  });
  const patch = changed.length === 0 ? {} : { articles: Object.fromEntries(changed) };
  return Object.keys(verify).length === 0 ? patch : { ...patch, verified_fr: verify };
}

function memberChanges(before: Planned | undefined, after: Plan[string]): Record<string, unknown> {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after)]) as Set<keyof Planned>;
  const change: Record<string, unknown> = {};
  for (const name of names)
    if (JSON.stringify(before?.[name]) !== JSON.stringify(after[name])) change[name] = after[name] ?? null;
  return change;
}
