/** What a repair changed, in words for the log and for hints. */
export type Repair = { readonly text: string; readonly kinds: readonly string[] };

const COMMENT = /\/\/[^\n]*|\/\*[\s\S]*?\*\//y;
const DOUBLE = /"(?:[^"\\]|\\[\s\S])*"/y;
const SINGLE = /'((?:[^'\\]|\\[\s\S])*)'/y;
const TRAILING = /,(?=(?:\s|\/\/[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)*[}\]])/y;

/**
 * Removes the three slips of JSON5 that models make: comments, strings in single quotes, commas before a closing bracket.
 * Nothing else: no missing bracket, quote or comma is ever supplied, so a reply that was cut off stays broken (P04).
 */
export function repairJson(text: string): Repair {
  const kinds = new Set<string>();
  const out: string[] = [];
  for (let at = 0; at < text.length; ) {
    const double = take(DOUBLE, text, at);
    const single = double ?? take(SINGLE, text, at);
    const found = single ?? take(COMMENT, text, at) ?? take(TRAILING, text, at);
    if (found === null) out.push(text[at++] ?? '');
    else {
      at += found[0].length;
      if (found === double) out.push(found[0]);
      else if (found === single) {
        out.push(requote(found[1] ?? ''));
        kinds.add('a string in single quotes');
      } else kinds.add(found[0] === ',' ? 'a comma before a closing bracket' : 'a comment');
    }
  }
  return { text: out.join(''), kinds: [...kinds] };
}

function take(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function requote(body: string): string {
  return `"${body.replace(/\\'|\\[\s\S]|"/g, (part) => (part === "\\'" ? "'" : part === '"' ? '\\"' : part))}"`;
}
