/** The tools that a translation needs. */
import type { DatabaseSync } from 'node:sqlite';
import type { JsonObject } from '@skillstate/runtime';
import {
  articleOf,
  articlesIn,
  insertArticle,
  insertParagraph,
  paragraphsOf,
  rememberPublished,
} from './database.ts';

export type Args = Readonly<Record<string, unknown>>;
export type Faults = {
  readonly cache: boolean;
  readonly deleteEnvelope: boolean;
  readonly publishDefault: boolean;
  readonly wrongVerifiers: boolean;
};

/** `run` throws a `Refusal` for what cannot be done; the schema is checked before it. */
export type CmsTool = {
  readonly name: string;
  readonly description: string;
  readonly kind: 'read' | 'list' | 'create' | 'write' | 'delete';
  readonly properties: Readonly<Record<string, JsonObject>>;
  readonly required: readonly string[];
  run(db: DatabaseSync, args: Args, faults: Faults): object;
};

export class Refusal extends Error {}

const id = (description: string): JsonObject => ({ type: 'integer', minimum: 1, description });
const text = (description: string, maxLength = 4000): JsonObject => ({
  type: 'string',
  maxLength,
  description,
});
const STATUS = { enum: ['draft', 'published', 'archived'] };

export const TRANSLATION_TOOLS: readonly CmsTool[] = [
  {
    name: 'cms_list_articles',
    description: 'Lists the articles of a language with their metadata. Results are cached.',
    kind: 'list',
    properties: { lang: { type: 'string', pattern: '^[a-z]{2}$', description: 'ISO 639-1 code.' } },
    required: ['lang'],
    run: (db, { lang }) => ({ articles: articlesIn(db, String(lang)).map(listed) }),
  },
  {
    name: 'cms_get_article',
    description:
      'Reads one article: title, slug, status, language, the article it translates. Results are cached.',
    kind: 'read',
    properties: { id: id('The article.') },
    required: ['id'],
    run: (db, args) => ({ ...mustFind(db, args['id']) }),
  },
  {
    name: 'cms_get_article_paragraphs',
    description: 'Reads the paragraphs of an article in order. Results are cached.',
    kind: 'read',
    properties: { article_id: id('The article.') },
    required: ['article_id'],
    run(db, args) {
      const article = mustFind(db, args['article_id']);
      const paragraphs = paragraphsOf(db, article.id);
      const body_chars = paragraphs.reduce((sum, paragraph) => sum + paragraph.text.length, 0);
      return { article_id: article.id, body_chars, paragraphs };
    },
  },
  {
    name: 'cms_create_article',
    description: 'Creates an article without paragraphs.',
    kind: 'create',
    properties: {
      title: text('The title.', 200),
      lang: { type: 'string', pattern: '^[a-z]{2}$', description: 'ISO 639-1 code.' },
      status: { ...STATUS, description: 'Its first status.' },
      translation_of: id('The article that it translates.'),
      slug: text('The last part of its address; from the title by default.', 200),
    },
    required: ['title', 'lang'],
    run(db, { title, lang, status, translation_of, slug }, faults) {
      const made = insertArticle(db, {
        title: String(title),
        lang: String(lang),
        status: String(status ?? (faults.publishDefault ? 'published' : 'draft')),
        translation_of: (translation_of as number | undefined) ?? null,
        ...(slug === undefined ? {} : { slug: String(slug) }),
      });
      return { id: made.id, slug: made.slug };
    },
  },
  {
    name: 'cms_create_paragraph',
    description: 'Adds one paragraph at the end of an article.',
    kind: 'create',
    properties: { article_id: id('The article.'), text: text('The paragraph.') },
    required: ['article_id', 'text'],
    run(db, args) {
      const article = mustFind(db, args['article_id']);
      const { id: made, position } = insertParagraph(db, article.id, String(args['text']));
      return { id: made, article_id: article.id, position };
    },
  },
  {
    name: 'cms_update_article',
    description: 'Changes an article. Where paragraphs are given, they replace all it has.',
    kind: 'write',
    properties: {
      id: id('The article.'),
      title: text('The title.', 200),
      status: { ...STATUS, description: 'The status.' },
      paragraphs: { type: 'array', maxItems: 50, items: text('A paragraph.') },
    },
    required: ['id'],
    run: update,
  },
  {
    name: 'cms_delete_article',
    description: 'Deletes an article and its paragraphs.',
    kind: 'delete',
    properties: { id: id('The article.') },
    required: ['id'],
    run(db, args, faults) {
      const article = mustFind(db, args['id']);
      db.prepare('DELETE FROM paragraphs WHERE article_id = ?').run(article.id);
      db.prepare('DELETE FROM articles WHERE id = ?').run(article.id);
      return faults.deleteEnvelope ? {} : { id: article.id, status: 'deleted' };
    },
  },
  {
    name: 'cms_skip_translation',
    description: 'Marks an article as having nothing to translate.',
    kind: 'write',
    properties: { id: id('The source article.'), reason: text('Why there is nothing to translate.', 200) },
    required: ['id', 'reason'],
    run(db, { id: source, reason }) {
      const article = mustFind(db, source);
      db.prepare('UPDATE articles SET skipped = ? WHERE id = ?').run(String(reason), article.id);
      return { id: article.id };
    },
  },
];

function update(db: DatabaseSync, { id: subject, title, status, paragraphs }: Args): object {
  const article = mustFind(db, subject);
  const next = { title: title ?? article.title, status: status ?? article.status };
  db.prepare('UPDATE articles SET title = ?, status = ? WHERE id = ?').run(
    String(next.title),
    String(next.status),
    article.id,
  );
  if (next.status === 'published') rememberPublished(db, article.id);
  if (Array.isArray(paragraphs)) {
    db.prepare('DELETE FROM paragraphs WHERE article_id = ?').run(article.id);
    for (const paragraph of paragraphs) insertParagraph(db, article.id, String(paragraph));
  }
  return { id: article.id };
}

function mustFind(db: DatabaseSync, subject: unknown) {
  const article = articleOf(db, Number(subject));
  if (article === null) throw new Refusal(`no article ${String(subject)}`);
  return article;
}

/** A list entry carries what a front end wants, as real ones do. */
function listed(article: { id: number; title: string; slug: string; status: string; lang: string }): object {
  const { id: subject, title, slug, status, lang } = article;
  const address = `https://cms.example/${lang}/${slug}`;
  return {
    id: subject,
    title,
    slug,
    status,
    lang,
    urls: { canonical: address, amp: `${address}?amp=1`, preview: `${address}?preview=1` },
    seo: {
      title: `${title} | Example`,
      description: `Read ${title} in our magazine.`,
      robots: 'index, follow',
    },
    images: [{ role: 'cover', ratio: '16:9', src: `https://img.example/${subject}/cover-1600x900.jpg` }],
    counters: { views: (subject * 37) % 9000, comments: subject % 7, shares: subject % 11 },
  };
}
