/**
 * Arm C: a script, and one model call an article. It creates the article before its paragraphs, splits what the model gives
 * at the delimiters, and reports success when nothing threw.
 */
import type { PromptPart, ReplyFunction } from '@skillstate/runtime';
import { jsonOf } from '../translator/knowledge.ts';
import { askModel, type BareCms, type Sent } from './bare.ts';
import type { Played } from './transcript.ts';

const RULES = 'Translate the article into French. Keep the delimiters ⟦Pn⟧ and ⟦/Pn⟧ around the paragraphs.';

export async function playPlumbing(cms: BareCms, model: ReplyFunction): Promise<Played> {
  const sent: Sent = [];
  const { articles } = jsonOf((await cms.call({ tool: 'cms_list_articles', args: { lang: 'en' } })).text) as {
    articles: readonly { readonly id: number; readonly title: string }[];
  };
  for (const article of articles) await translateOne(cms, model, article, sent);
  return { sent, steps: articles.length, end: 'finished' };
}

async function translateOne(
  cms: BareCms,
  model: ReplyFunction,
  { id, title }: { readonly id: number; readonly title: string },
  sent: Sent,
): Promise<void> {
  const read = jsonOf(
    (await cms.call({ tool: 'cms_get_article_paragraphs', args: { article_id: id } })).text,
  );
  const paragraphs = read['paragraphs'] as readonly { readonly text: string }[];
  const args = { title: `${title} (fr)`, lang: 'fr', translation_of: id, status: 'draft' };
  const made = jsonOf((await cms.call({ tool: 'cms_create_article', args })).text);
  const source = paragraphs.map(({ text }, index) => `⟦P${index + 1}⟧${text}⟦/P${index + 1}⟧`).join('\n');
  const prompt: PromptPart[] = [
    { role: 'system', text: RULES, cache: true },
    { role: 'user', text: `Translate article ${id}:\n${source}`, cache: false },
  ];
  const french = await askModel(model, prompt, sent);
  for (const [, text] of french.matchAll(/⟦P\d+⟧(.*?)⟦\/P\d+⟧(?=\n|$)/g))
    await cms.call({ tool: 'cms_create_paragraph', args: { article_id: made['id'], text } });
}
