/** The CMS's system of record: one SQLite file. Also its own log of calls, so that an arm is judged from outside. */
import { DatabaseSync } from 'node:sqlite';
import { SOURCES } from './articles.ts';

export type Article = {
  readonly id: number;
  readonly lang: string;
  readonly title: string;
  readonly slug: string;
  readonly status: string;
  readonly translation_of: number | null;
  /** Set by `cms_skip_translation`: why there is nothing to translate. */
  readonly skipped: string | null;
};
export type Paragraph = { readonly id: number; readonly position: number; readonly text: string };
export type CallLog = {
  readonly tool: string;
  readonly kind: string;
  readonly outcome: 'ok' | 'refused' | 'busy' | 'error';
  readonly stale: boolean;
};

const SCHEMA = `
CREATE TABLE IF NOT EXISTS articles (
  id INTEGER PRIMARY KEY, lang TEXT NOT NULL, title TEXT NOT NULL, slug TEXT NOT NULL, status TEXT NOT NULL,
  translation_of INTEGER, skipped TEXT) STRICT;
CREATE TABLE IF NOT EXISTS paragraphs (
  id INTEGER PRIMARY KEY, article_id INTEGER NOT NULL, position INTEGER NOT NULL, text TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS keys (key TEXT PRIMARY KEY, result TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS published (article_id INTEGER PRIMARY KEY) STRICT;
CREATE TABLE IF NOT EXISTS calls (
  id INTEGER PRIMARY KEY, tool TEXT NOT NULL, kind TEXT NOT NULL, outcome TEXT NOT NULL, stale INTEGER NOT NULL) STRICT;
`;

/** First id of a translation: ids depend on the seed, as a real CMS's depend on its past. */
const FIRST_ID = 96_000_000;

/** Opens the file and fills it with the English articles if it is new. `process` durability is enough for a toy. */
export function openCms(file: string, seed = 1): DatabaseSync {
  const db = new DatabaseSync(file);
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = 5000;');
  db.exec(SCHEMA);
  const known = db.prepare('SELECT count(*) AS n FROM articles').get() as { n: number };
  if (known.n === 0) fill(db, seed);
  return db;
}

function fill(db: DatabaseSync, seed: number): void {
  db.exec('BEGIN');
  for (const { id, title, paragraphs } of SOURCES) {
    insertArticle(db, { id, lang: 'en', title, status: 'published', translation_of: null });
    paragraphs.forEach((text) => insertParagraph(db, id, text));
  }
  const old = FIRST_ID + ((seed * 7919) % 900_000);
  insertArticle(db, { id: old, lang: 'es', title: 'Una nota vieja', status: 'draft', translation_of: null });
  db.exec('COMMIT');
}

export type NewArticle = Pick<Article, 'lang' | 'title' | 'status' | 'translation_of'> & {
  readonly id?: number;
  readonly slug?: string;
};

export function insertArticle(db: DatabaseSync, article: NewArticle): Article {
  const { id = null, lang, title, status, translation_of } = article;
  const slug = article.slug ?? title.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  const { lastInsertRowid } = db
    .prepare('INSERT INTO articles (id, lang, title, slug, status, translation_of) VALUES (?, ?, ?, ?, ?, ?)')
    .run(id, lang, title, slug, status, translation_of);
  const made = articleOf(db, Number(lastInsertRowid)) as Article;
  if (status === 'published') rememberPublished(db, made.id);
  return made;
}

export function rememberPublished(db: DatabaseSync, id: number): void {
  db.prepare('INSERT OR IGNORE INTO published (article_id) VALUES (?)').run(id);
}

export function insertParagraph(db: DatabaseSync, article: number, text: string): Paragraph {
  const position = paragraphsOf(db, article).length + 1;
  const { lastInsertRowid } = db
    .prepare('INSERT INTO paragraphs (article_id, position, text) VALUES (?, ?, ?)')
    .run(article, position, text);
  return { id: Number(lastInsertRowid), position, text };
}

export function articleOf(db: DatabaseSync, id: number): Article | null {
  return (db.prepare('SELECT * FROM articles WHERE id = ?').get(id) as Article | undefined) ?? null;
}

export function articlesIn(db: DatabaseSync, lang: string): readonly Article[] {
  return db.prepare('SELECT * FROM articles WHERE lang = ? ORDER BY id').all(lang) as Article[];
}

export function paragraphsOf(db: DatabaseSync, article: number): readonly Paragraph[] {
  return db
    .prepare('SELECT id, position, text FROM paragraphs WHERE article_id = ? ORDER BY position')
    .all(article) as Paragraph[];
}

export function logCall(db: DatabaseSync, { tool, kind, outcome, stale }: CallLog): void {
  db.prepare('INSERT INTO calls (tool, kind, outcome, stale) VALUES (?, ?, ?, ?)').run(
    tool,
    kind,
    outcome,
    Number(stale),
  );
}
