import { createReadStream } from 'node:fs';
import { access, open, truncate } from 'node:fs/promises';
import type { EpisodeResult } from '../harness/result.ts';

/** The results of a bench: one JSON object a line, in the order in which the episodes ended. */
export type ResultFile<Kept> = {
  /** What earlier runs of the same bench left, by key. */
  readonly known: ReadonlyMap<string, Kept>;
  append(result: EpisodeResult): Promise<void>;
  close(): Promise<void>;
};

/**
 * Opens or creates the file. A last line that a killed bench left unfinished is cut off. `keep` is what stays in memory of
 * each known result.
 */
export async function openResults<Kept>(
  path: string,
  keep: (result: EpisodeResult) => Kept,
): Promise<ResultFile<Kept>> {
  const known = new Map<string, Kept>();
  let whole = 0;
  for await (const { text, end, number } of linesOf(path)) {
    whole = end;
    const result = parse(text, number);
    known.set(result.key, keep(result));
  }
  const file = await open(path, 'a');
  if ((await file.stat()).size > whole) await truncate(path, whole);
  return {
    known,
    append: (result) => file.appendFile(`${JSON.stringify(result)}\n`),
    close: () => file.close(),
  };
}

/**
 * Episodes of a `results.jsonl`, one at a time, each once; lines of other benchmarks are passed over. Throws where a line is
 * broken.
 */
export async function* readResults(path: string): AsyncGenerator<EpisodeResult> {
  const seen = new Set<string>();
  for await (const { text, number } of linesOf(path)) {
    const result = parse(text, number);
    if (!('experiment' in result && 'spec' in result)) continue;
    const missing = MEMBERS.filter((name) => typeof result[name] !== 'object' || result[name] === null);
    if (missing.length > 0)
      throw new Error(`line ${number} of the results lacks ${missing.join(', ')}; take it out to go on`);
    if (!seen.has(result.key)) yield result;
    seen.add(result.key);
  }
}

/** Members without which a line is no episode, whoever wrote it. */
const MEMBERS = [
  'arm',
  'spec',
  'model',
  'score',
  'totals',
  'calls',
  'steps',
  'parts',
  'groups',
  'rejections',
] as const;

function parse(text: string, number: number): EpisodeResult {
  let result: EpisodeResult;
  try {
    result = JSON.parse(text) as EpisodeResult;
  } catch {
    throw new Error(`line ${number} of the results is not JSON; take it out to go on`);
  }
  if (result?.v !== 1)
    throw new Error(`line ${number} is a result of version ${String(result?.v)}; this program reads 1`);
  return result;
}

type Line = { readonly text: string; readonly number: number; readonly end: number };

/** Longer than any episode: an episode of 5,000 steps takes some megabytes. */
const MOST_LINE_BYTES = 256 * 1024 * 1024;

/** Complete lines with the offset behind each; none of a file that is not there. Throws at a line that is too long. */
async function* linesOf(path: string): AsyncGenerator<Line> {
  const there = await access(path).then(
    () => true,
    () => false,
  );
  if (!there) return;
  let pieces: Buffer[] = [];
  let [number, end, size] = [0, 0, 0];
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      pieces.push(chunk.subarray(from, at));
      const line = Buffer.concat(pieces);
      pieces = [];
      from = at + 1;
      number += 1;
      end += line.length + 1;
      if (line.length > 0) yield { text: line.toString('utf8'), number, end };
    }
    pieces.push(chunk.subarray(from));
    size = from === 0 ? size + chunk.length : chunk.length - from;
    if (size > MOST_LINE_BYTES)
      throw new Error(`line ${number + 1} of the results is longer than any episode; take it out to go on`);
  }
}
