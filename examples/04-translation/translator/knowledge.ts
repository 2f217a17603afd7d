/** What the translator knows from its prompt, whatever form that has, and how a tool's result adds to it. */
import { toFrench } from './french.ts';
import type { FaultPlan } from './faults.ts';

export type Planned = {
  readonly title: string;
  readonly status: 'todo' | 'writing' | 'empty' | 'done';
  readonly chars?: number;
  readonly fr_id?: number | string;
  readonly written?: number;
  readonly translation?: readonly string[];
};
export type Plan = Readonly<Record<string, Planned>>;
export type Args = Readonly<Record<string, unknown>>;

/** A tool call and what came of it. `tool` is '' at the start. */
export type Last = {
  readonly tool: string;
  readonly args: Args;
  readonly ok: boolean;
  readonly text: string;
};

export type Known = {
  readonly step: number;
  readonly articles: Plan;
  /** Sources that need nothing more, as the prompt says. */
  readonly verified: ReadonlySet<string>;
  readonly last: Last;
  /** What the runtime says besides: refusals and missing checks. '' where there is none. */
  readonly notices: string;
  readonly tools: ReadonlySet<string>;
  /** `runtime`: `verified_fr` is not the model's to write. `model`: it is. `none`: there is no state. */
  readonly verifiedBy: 'runtime' | 'model' | 'none';
};

export const DELIMITER = '⟦/P1⟧';

export function translate(
  id: string,
  paragraphs: readonly string[],
  plan: FaultPlan,
  careful: boolean,
): string[] {
  const french = paragraphs.map(toFrench);
  if (careful) return french;
  if (id === plan.delimiter)
    return french.map((text, index) => (index === 0 ? `${text} ${DELIMITER}` : text));
  if (id === plan.shortens) return french.map((text) => text.slice(0, Math.ceil(text.length * 0.4)));
  return french;
}

/** The plan after this result; the same object where it teaches nothing. Pure. */
export function learn(articles: Plan, last: Last, plan: FaultPlan): Plan {
  if (!last.ok) return articles;
  const value = jsonOf(last.text);
  const byDraft = (id: unknown): string | undefined =>
    Object.keys(articles).find(
      (source) => articles[source]?.fr_id !== undefined && Number(articles[source]?.fr_id) === Number(id),
    );
  switch (last.tool) {
    case 'cms_list_articles':
      return last.args['lang'] === 'en' && Object.keys(articles).length === 0 ? listed(value) : articles;
    case 'cms_get_article_paragraphs':
      return read(articles, String(value['article_id']), value, plan);
    case 'cms_create_article':
      return created(articles, String(last.args['translation_of']), value['id'], plan);
    case 'cms_create_paragraph':
      return changed(articles, byDraft(value['article_id']), ({ written = 0 }) => ({ written: written + 1 }));
    case 'cms_update_article':
      return Array.isArray(last.args['paragraphs'])
        ? changed(articles, byDraft(value['id']), ({ translation = [] }) => ({ written: translation.length }))
        : articles;
    case 'cms_skip_translation':
      return changed(articles, String(last.args['id']), () => ({ status: 'done' }));
    default:
      return articles;
  }
}

function listed(value: Args): Plan {
  const list = Array.isArray(value['articles'])
    ? (value['articles'] as readonly { id: number; title: string }[])
    : [];
  return Object.fromEntries(list.map(({ id, title }) => [String(id), { title, status: 'todo' as const }]));
}

/** A second reading, after a check found the first translation too short, is a careful one. */
function read(articles: Plan, id: string, value: Args, plan: FaultPlan): Plan {
  const texts = (
    Array.isArray(value['paragraphs']) ? (value['paragraphs'] as readonly { text: string }[]) : []
  ).map(({ text }) => text);
  const chars = texts.reduce((sum, text) => sum + text.length, 0);
  return changed(articles, id, ({ status, fr_id, translation }) => {
    if (status === 'todo')
      return texts.length === 0
        ? { status: 'empty', chars: 0 }
        : { status: 'writing', chars, translation: translate(id, texts, plan, false) };
    if (fr_id !== undefined && translation === undefined)
      return { translation: translate(id, texts, plan, true) };
    return {};
  });
}

function created(articles: Plan, source: string, id: unknown, plan: FaultPlan): Plan {
  return changed(articles, source, ({ fr_id }) => {
    if (typeof id !== 'number' || Number(fr_id) === id) return {};
    return { fr_id: source === plan.stringId ? String(id) : id, written: 0 };
  });
}

function changed(
  articles: Plan,
  id: string | undefined,
  change: (article: Planned) => Partial<Planned>,
): Plan {
  const article = id === undefined ? undefined : articles[id];
  if (id === undefined || article === undefined) return articles;
  return { ...articles, [id]: { ...article, ...change(article) } };
}

export function jsonOf(text: string): Args {
  try {
    const value: unknown = JSON.parse(text);
    return value !== null && typeof value === 'object' ? (value as Args) : {};
  } catch {
    return {};
  }
}
