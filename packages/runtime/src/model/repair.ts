/** What a repair changed, in words for the log and for hints. */
export type Repair = { readonly text: string; readonly kinds: readonly string[] };

const STRING = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"|'[^'\\]*(?:\\[\s\S][^'\\]*)*'/y;

/**
 * Removes the three slips of JSON5 that models make: comments, strings in single quotes, commas before a closing bracket.
 * Nothing else: no missing bracket, quote or comma is ever supplied, so a reply that was cut off stays broken (P04). Text
 * with a string or comment that never ends comes back as it was. Linear.
 */
export function repairJson(text: string): Repair {
  const kinds = new Set<string>();
  const out: string[] = [];
  /** Index in `out` of a comma behind which nothing but space and comments came. */
  let comma = -1;
  for (let at = 0; at < text.length; ) {
    const found = token(text, at);
    if (found === null) return { text, kinds: [] };
    at += found.length;
    const first = found.charAt(0);
    if (first === '/' && found.length > 1) kinds.add('a comment');
    else if (first === "'") {
      kinds.add('a string in single quotes');
      out.push(requote(found.slice(1, -1)));
    } else {
      if ((first === '}' || first === ']') && comma >= 0) {
        kinds.add('a comma before a closing bracket');
        out[comma] = '';
      }
      if (first === ',') comma = out.length;
      out.push(found);
    }
    if (first !== ',' && first !== '/' && found.trim() !== '') comma = -1;
  }
  return { text: out.join(''), kinds: [...kinds] };
}

/** The string, comment, run of space or other text or single mark at `at`; null where it never ends. */
function token(text: string, at: number): string | null {
  const first = text.charAt(at);
  if (first === '"' || first === "'") {
    STRING.lastIndex = at;
    return STRING.exec(text)?.[0] ?? null;
  }
  if (text.startsWith('//', at)) {
    const end = text.indexOf('\n', at);
    return text.slice(at, end < 0 ? text.length : end);
  }
  if (!text.startsWith('/*', at)) return first;
  const end = text.indexOf('*/', at + 2);
  return end < 0 ? null : text.slice(at, end + 2);
}

function requote(body: string): string {
  return `"${body.replace(/\\[\s\S]|"/g, (part) => (part === "\\'" ? "'" : part === '"' ? '\\"' : part))}"`;
}
