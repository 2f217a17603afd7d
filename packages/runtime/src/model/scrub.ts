const SHOWN = 400;
const SCANNED = 4_000;
/** The shortest stretch of a key that counts as a piece of it. */
const PIECE = 8;

/** Removes every trace of the keys from a provider's or library's message, and cuts it. */
export type Scrub = (text: string) => string;

/**
 * Whole keys, pieces of them of 8 characters or more (providers echo a head or a tail), URL-encoded keys, masked
 * echoes, bearer tokens, URL credentials and `key=` queries are replaced. The result has at most 400 characters.
 */
export function createScrub(keys: readonly string[]): Scrub {
  const pieces = new Set<string>();
  for (const key of keys) {
    for (const form of [key, encodeURIComponent(key)]) {
      if (form.length < PIECE) continue;
      for (let at = 0; at + PIECE <= form.length; at += 1) pieces.add(form.slice(at, at + PIECE));
    }
  }
  return (text) => {
    const scanned = scrubPieces(text.slice(0, SCANNED), pieces)
      .replace(/[\w-]*[*•…]{2,}[\w-]{0,12}|[\w-]+\.{3,}[\w-]{1,12}/g, '[key]')
      .replace(/\b(bearer|basic)\s+[\w.~+/=-]+/gi, '$1 [key]')
      .replace(/([?&](?:api[_-]?)?(?:key|token)=)[^&\s"']+/gi, '$1[key]')
      .replace(/:\/\/[^/\s@]+@/g, '://[key]@')
      .replace(/\b(?:sk|pk|rk|gsk|xai|AIza)[-_]?[\w-]{16,}/g, '[key]');
    return scanned.length > SHOWN ? `${scanned.slice(0, SHOWN).toWellFormed()} …` : scanned;
  };
}

function scrubPieces(text: string, pieces: ReadonlySet<string>): string {
  if (pieces.size === 0) return text;
  let out = '';
  let at = 0;
  while (at < text.length) {
    if (!pieces.has(text.slice(at, at + PIECE))) {
      out += text[at];
      at += 1;
      continue;
    }
    let end = at + PIECE;
    while (end < text.length && pieces.has(text.slice(end - PIECE + 1, end + 1))) end += 1;
    out += '[key]';
    at = end;
  }
  return out;
}

/** Removes whole keys from a reply's text, which is otherwise the model's own and stays as it is. */
export function hideKeys(text: string, keys: readonly string[]): string {
  let hidden = text;
  for (const key of keys) if (key.length >= PIECE) hidden = hidden.replaceAll(key, '[key]');
  return hidden;
}
