import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/** A longer line is passed over: no counter needs that much. */
export const MOST_LINE_BYTES = 32 * 1024 * 1024;

const NEWLINE = 0x0a;

/**
 * The lines of a file as text, null for one that is too long. Holds one line and one block at most. A file that became a
 * symbolic link is not opened.
 */
export async function* readLines(path: string, most = MOST_LINE_BYTES): AsyncGenerator<string | null> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    let kept: Buffer[] = [];
    let size = 0;
    const take = (end: Buffer): string | null => {
      const line = size + end.length > most ? null : Buffer.concat([...kept, end]).toString('utf8');
      kept = [];
      size = 0;
      return line;
    };
    for await (const block of file.createReadStream({ autoClose: false }) as AsyncIterable<Buffer>) {
      let start = 0;
      for (let end = block.indexOf(NEWLINE); end >= 0; end = block.indexOf(NEWLINE, start)) {
        yield take(block.subarray(start, end));
        start = end + 1;
      }
      size += block.length - start;
      if (size > most) kept = [];
      else kept.push(block.subarray(start));
    }
    if (size > 0) yield take(Buffer.alloc(0));
  } finally {
    await file.close();
  }
}
