/** The outside check: what the CMS's database says, whatever any arm believes. */
import { DatabaseSync } from 'node:sqlite';
import { SOURCES } from './cms/articles.ts';
import { type Article, articleOf, articlesIn, paragraphsOf } from './cms/database.ts';
import { toFrench } from './translator/french.ts';

export type Judgement = {
  /** Of six: the right draft is there; the empty article is marked as having nothing to translate and has no draft. */
  readonly right: number;
  /** French articles besides one right draft for each source. */
  readonly leftOver: number;
  /** French articles that are published now, and those that ever were. */
  readonly published: number;
  readonly everPublished: number;
  readonly reads: number;
  readonly stale: number;
  readonly articlesMade: number;
  readonly paragraphsMade: number;
  /** Creates that met the first by their key. */
  readonly repeats: number;
  readonly refused: number;
  readonly busy: number;
};

export function judge(file: string): Judgement {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    const french = articlesIn(db, 'fr');
    const good = SOURCES.filter(({ id, paragraphs }) =>
      paragraphs.length === 0
        ? nothingToDo(db, id, french)
        : french.some((draft) => isRight(db, draft, id, paragraphs)),
    );
    const drafts = good.filter(({ paragraphs }) => paragraphs.length > 0).length;
    const one = (sql: string): number => Number(db.prepare(sql).get()?.['n'] ?? 0);
    const calls = (where: string): number => one(`SELECT count(*) AS n FROM calls WHERE ${where}`);
    return {
      right: good.length,
      leftOver: french.length - drafts,
      published: french.filter(({ status }) => status === 'published').length,
      everPublished: one(
        "SELECT count(*) AS n FROM published JOIN articles ON id = article_id WHERE lang = 'fr'",
      ),
      reads: calls("kind IN ('read', 'list') AND outcome = 'ok'"),
      stale: calls('stale = 1'),
      articlesMade: calls("kind = 'create' AND tool = 'cms_create_article' AND outcome = 'ok'"),
      paragraphsMade: calls("kind = 'create' AND tool = 'cms_create_paragraph' AND outcome = 'ok'"),
      repeats: calls("kind = 'repeat'"),
      refused: calls("outcome IN ('refused', 'error')"),
      busy: calls("outcome = 'busy'"),
    };
  } finally {
    db.close();
  }
}

function nothingToDo(db: DatabaseSync, id: number, french: readonly Article[]): boolean {
  return articleOf(db, id)?.skipped !== null && !french.some((draft) => draft.translation_of === id);
}

function isRight(db: DatabaseSync, draft: Article, source: number, english: readonly string[]): boolean {
  if (draft.translation_of !== source || draft.status !== 'draft') return false;
  const written = paragraphsOf(db, draft.id).map(({ text }) => text);
  return JSON.stringify(written) === JSON.stringify(english.map(toFrench));
}
