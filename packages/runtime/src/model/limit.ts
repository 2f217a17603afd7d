import { ReplyTooLarge } from './failure.ts';

/**
 * A `fetch` that stops reading a response when one line of it passes `lineBytes` or all of it `totalBytes`, after
 * decompression. It follows no redirect, because a key in a header would go along.
 */
export function limitedFetch(lineBytes: number, totalBytes: number): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, { ...init, redirect: 'manual' });
    if (response.body === null) return response;
    const { status, statusText, headers } = response;
    const body = response.body.pipeThrough(byteLimit(lineBytes, totalBytes));
    return new Response(body, { status, statusText, headers });
  };
}

const NEWLINE = 10;

function byteLimit(lineBytes: number, totalBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let line = 0;
  let total = 0;
  return new TransformStream({
    transform(chunk, controller) {
      total += chunk.length;
      const newline = chunk.lastIndexOf(NEWLINE);
      line = newline === -1 ? line + chunk.length : chunk.length - newline - 1;
      if (line > lineBytes || total > totalBytes) {
        const limit = total > totalBytes ? totalBytes : lineBytes;
        throw new ReplyTooLarge(`the provider sent more than ${limit} bytes; reading stopped there`);
      }
      controller.enqueue(chunk);
    },
  });
}
