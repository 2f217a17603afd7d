/** What the translator does next, given what its prompt says. Deterministic; the seeded faults are here. */
import { chance, type FaultPlan } from './faults.ts';
import { type Args, jsonOf, type Known, type Last, learn, type Plan, type Planned } from './knowledge.ts';

export type Action = { readonly tool: string; readonly args: Args };
export type Decision = {
  readonly articles: Plan;
  readonly action: Action;
  /** What the translator would have in `verified_fr`, where it may or wrongly does write there. */
  readonly verify: Readonly<Record<string, number | string>>;
};

type Entry = readonly [id: string, article: Planned];
type Turn = {
  readonly known: Known;
  readonly plan: FaultPlan;
  readonly before: Plan;
  readonly articles: Plan;
};

export function decide(known: Known, plan: FaultPlan): Decision {
  const before = known.articles;
  const turn: Turn = { known, plan, before, articles: corrected(known, learn(before, known.last, plan)) };
  const busy = /Retry-After: (\d+)/.exec(known.last.ok ? '' : known.last.text);
  if (busy !== null && known.tools.has('wait'))
    return done(turn, { tool: 'wait', args: { seconds: Number(busy[1]) } });
  if (Object.keys(turn.articles).length === 0) return done(turn, call('cms_list_articles', { lang: 'en' }));
  return claimed(turn) ?? verifying(turn) ?? repaired(turn) ?? reread(turn) ?? next(turn);
}

const call = (tool: string, args: Args): Action => ({ tool, args });

function done({ articles }: Turn, action: Action, verify: Decision['verify'] = {}): Decision {
  return { articles, action, verify };
}

function put(articles: Plan, id: string, change: Partial<Planned>): Plan {
  return { ...articles, [id]: { ...(articles[id] as Planned), ...change } };
}

/** What was confirmed needs its text no more; a refused type is put right where the prompt says what was wanted. */
function corrected({ verified, notices, last, step }: Known, articles: Plan): Plan {
  const told = /fr_id[^\n]*integer|integer[^\n]*fr_id/.test(notices);
  const guessed =
    last.tool === 'cms_create_paragraph' &&
    /Invalid arguments/.test(last.text) &&
    chance(7, 'id', step) < 0.25;
  const entries = Object.entries(articles).map(([id, article]): Entry => {
    const { translation: _, ...rest } = article;
    const kept: Planned = verified.has(id) ? { ...rest, status: 'done' } : article;
    return [
      id,
      (told || guessed) && typeof kept.fr_id === 'string' ? { ...kept, fr_id: Number(kept.fr_id) } : kept,
    ];
  });
  return Object.fromEntries(entries);
}

function draftJustMade({ known: { last }, articles }: Turn): Entry | undefined {
  if (last.tool !== 'cms_create_article' || !last.ok) return undefined;
  const id = String(last.args['translation_of']);
  const article = articles[id];
  return article === undefined ? undefined : [id, article];
}

/** Two faults on a fresh, empty draft: it is called done, or written into the verified field. */
function claimed(turn: Turn): Decision | null {
  const { plan, known } = turn;
  const made = draftJustMade(turn);
  if (made === undefined || made[1].status !== 'writing') return null;
  const [id, { fr_id = 0 }] = made;
  if (id === plan.claims && !/refused/.test(known.notices))
    return next({ ...turn, articles: put(turn.articles, id, { status: 'done' }) });
  if (id !== plan.writesVerified || known.verifiedBy === 'none' || /\bowner\./.test(known.notices))
    return null;
  const after = next({ ...turn, articles: put(turn.articles, id, { status: 'done' }) });
  return { ...after, verify: { ...after.verify, [id]: fr_id } };
}

/** Without a runtime that reads back, the translator follows the envelope of the last write, to the letter. */
function verifying(turn: Turn): Decision | null {
  const { known, articles } = turn;
  if (known.verifiedBy === 'runtime' || !known.last.ok) return null;
  const { tool, text } = known.last;
  if (tool === 'cms_get_article' && jsonOf(text)['status'] === 'published' && jsonOf(text)['lang'] === 'fr')
    return done(turn, call('cms_update_article', { id: jsonOf(text)['id'], status: 'draft' }));
  const subject = Object.entries(articles).find(
    ([, article]) => article.fr_id !== undefined && Number(article.fr_id) === jsonOf(text)['article_id'],
  );
  if (tool !== 'cms_create_paragraph' || subject === undefined || !isWritten(subject[1])) return null;
  const [id, { fr_id = 0 }] = subject;
  const settled = { ...turn, articles: put(articles, id, { status: 'done' }) };
  const reader = namedReader(known.last, known.tools);
  const verify = known.verifiedBy === 'model' ? { [id]: fr_id } : {};
  if (reader === null) return { ...next(settled), verify };
  return done(settled, call(reader, reader === 'cms_get_article' ? { id: Number(fr_id) } : {}), verify);
}

function namedReader(last: Last, tools: ReadonlySet<string>): string | null {
  const policy = jsonOf(last.text)['_mcp_policy'] as
    | { plan?: { verify?: string }; verification_tools?: string[] }
    | undefined;
  const named = [policy?.plan?.verify ?? '', ...(policy?.verification_tools ?? [])];
  return named.find((name) => tools.has(name)) ?? null;
}

function isWritten({ written = 0, translation = [] }: Planned): boolean {
  return translation.length > 0 && written >= translation.length;
}

/** Answers what a read-back found: the notice names the draft and the checks that do not hold. */
function repaired(turn: Turn): Decision | null {
  const { known, articles, before } = turn;
  const { last } = known;
  const source =
    last.tool === 'cms_get_article_paragraphs' && last.ok ? String(jsonOf(last.text)['article_id']) : '';
  const again = articles[source];
  if (
    again?.fr_id !== undefined &&
    again.translation !== undefined &&
    before[source]?.translation === undefined
  )
    return done(turn, rewrite(again));
  const failed = /confirm: fr-draft (\d+) is not confirmed[^\n]*/.exec(known.notices);
  const found = Object.entries(articles).find(
    ([, article]) => failed !== null && Number(article.fr_id) === Number(failed[1]),
  );
  if (failed === null || found === undefined || known.verified.has(found[0]) || !isWritten(found[1]))
    return null;
  return answerTo(turn, failed[0], found);
}

function rewrite({ fr_id, translation = [] }: Planned): Action {
  return call('cms_update_article', { id: fr_id, status: 'draft', paragraphs: translation });
}

function answerTo(turn: Turn, why: string, [id, article]: Entry): Decision | null {
  const { articles } = turn;
  const { translation = [], chars = 0, fr_id } = article;
  if (/delimiter/.test(why)) {
    const clean = translation.map((text) => text.replaceAll(/ ?⟦[^⟧]*⟧/g, ''));
    const fixed = put(articles, id, { translation: clean });
    return done({ ...turn, articles: fixed }, rewrite(fixed[id] as Planned));
  }
  if (/must be a draft/.test(why))
    return done(turn, call('cms_update_article', { id: fr_id, status: 'draft' }));
  const length = translation.join('').length;
  if (length < 0.6 * chars) {
    const { translation: _, ...rest } = article;
    return done(
      { ...turn, articles: { ...articles, [id]: rest } },
      call('cms_get_article_paragraphs', { article_id: Number(id) }),
    );
  }
  // Its own text is long enough, so what the read shows must be a paragraph that was lost: it writes it again.
  if (/length|needs a paragraph/.test(why))
    return done(turn, call('cms_create_paragraph', { article_id: fr_id, text: translation.at(-1) }));
  return null;
}

/** Reads again what it has in its state: at some steps, and a draft right after it was made. */
function reread(turn: Turn): Decision | null {
  const { known, plan, articles } = turn;
  const made = draftJustMade(turn);
  if (made !== undefined && made[0] === plan.recreates && made[1].written === 0)
    return done(turn, call('cms_get_article_paragraphs', { article_id: made[1].fr_id }));
  const open = Object.entries(articles).find(([, { status }]) => status === 'writing');
  if (open === undefined || !plan.rereads.includes(known.step) || known.notices.includes('rejected'))
    return null;
  return done(turn, call('cms_get_article_paragraphs', { article_id: Number(open[0]) }));
}

/** The ordinary next action: the first article, in order of id, that it does not hold for done. */
function next(turn: Turn): Decision {
  const { known, articles } = turn;
  const open = Object.entries(articles).find(
    ([id, { status }]) => status !== 'done' && !known.verified.has(id),
  );
  if (open !== undefined) return worked(turn, open);
  const missing = Object.entries(articles).find(([id]) => !known.verified.has(id));
  if (known.verifiedBy === 'none' || missing === undefined || !/rejected/.test(known.notices))
    return done(turn, call('finish', { summary: `${Object.keys(articles).length} articles are done` }));
  return resumed(turn, missing);
}

/** A refused `finish`: what it called done and nobody confirmed is taken up again. */
function resumed(turn: Turn, [id, article]: Entry): Decision {
  if (article.chars === 0) return worked(turn, [id, { ...article, status: 'empty' }]);
  if (article.translation === undefined)
    return done(turn, call('cms_get_article_paragraphs', { article_id: Number(id) }));
  const again = put(turn.articles, id, { status: 'writing' });
  const taken = { ...turn, articles: again };
  return isWritten(article) ? done(taken, rewrite(article)) : worked(taken, [id, again[id] as Planned]);
}

function worked(turn: Turn, [id, article]: Entry): Decision {
  const { articles } = turn;
  const { status, fr_id, written = 0, translation = [] } = article;
  if (status === 'todo') return done(turn, call('cms_get_article_paragraphs', { article_id: Number(id) }));
  if (status === 'empty')
    return done(turn, call('cms_skip_translation', { id: Number(id), reason: 'it has no paragraphs' }));
  if (fr_id === undefined || recreating(turn, id, article)) return done(turn, creation(turn, id, article));
  const text = translation[written];
  if (text !== undefined)
    return done(turn, call('cms_create_paragraph', { article_id: idFor(turn, id, fr_id), text }));
  return next({ ...turn, articles: put(articles, id, { status: 'done' }) });
}

/** The string fault in a call: where there is no state to hold the id, it is sent as text until a guess puts it right. */
function idFor({ known, plan }: Turn, id: string, fr_id: number | string): number | string {
  const guessed = /Invalid arguments/.test(known.last.text) && chance(plan.seed, 'id', known.step) < 0.25;
  return id === plan.stringId && known.verifiedBy === 'none' && !guessed ? String(fr_id) : fr_id;
}

function recreating({ known, plan }: Turn, id: string, { written, fr_id }: Planned): boolean {
  const { last } = known;
  const afterFirst =
    last.tool === 'cms_create_paragraph' &&
    last.ok &&
    written === 1 &&
    Number(fr_id) === jsonOf(last.text)['article_id'];
  return (
    id === plan.recreates &&
    afterFirst &&
    !/action\.repeated/.test(known.notices) &&
    chance(plan.seed, 'again', known.step) < 0.8
  );
}

/**
 * Invents arguments until it is told which there are; a refusal that does not say helps only by luck. A correction that its
 * refused reply shows again is kept.
 */
function creation({ known, plan }: Turn, id: string, { title }: Planned): Action {
  const { last, notices, step } = known;
  const plain = { title: `${title} (fr)`, lang: 'fr', translation_of: Number(id) };
  const status =
    id === plan.publishes && !/"status":"draft"|give status "draft"/.test(notices) ? {} : { status: 'draft' };
  const told =
    /\(arguments: /.test(notices) || (notices.includes('- refused:') && !notices.includes('author_id'));
  const lucky = last.tool === 'cms_create_article' && !last.ok && chance(plan.seed, 'fix', step) < 0.25;
  const invented = id === plan.invents && !told && !lucky ? { author_id: 1, body: '', language: 'fr' } : {};
  return call('cms_create_article', { ...plain, ...status, ...invented });
}
