import { open, readFile, truncate } from 'node:fs/promises';
import type { EpisodeResult } from '../harness/result.ts';

/** The results of a bench: one JSON object a line, in the order in which the episodes ended. */
export type ResultFile = {
  /** What earlier runs of the same bench left, by key. */
  readonly known: ReadonlyMap<string, EpisodeResult>;
  append(result: EpisodeResult): Promise<void>;
  close(): Promise<void>;
};

/** Opens or creates the file. A last line that a killed bench left unfinished is cut off. */
export async function openResults(path: string): Promise<ResultFile> {
  const text = await readFile(path, 'utf8').catch(() => '');
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  if (whole.length < text.length) await truncate(path, Buffer.byteLength(whole));
  const file = await open(path, 'a');
  return {
    known: new Map(readResults(whole).map((result) => [result.key, result])),
    append: (result) => file.appendFile(`${JSON.stringify(result)}\n`),
    close: () => file.close(),
  };
}

/** Results of a `results.jsonl`. Throws where a line is not one of this version. */
export function readResults(text: string): readonly EpisodeResult[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line, index) => {
      const result = JSON.parse(line) as EpisodeResult;
      if (result.v !== 1)
        throw new Error(`line ${index + 1} is a result of version ${String(result.v)}; this program reads 1`);
      return result;
    });
}
