import type { Json } from '@skillstate/runtime';

/** The refused reply's own objects, read as loosely as their author would read them. */
export function looseObjects(reply: string): Json[] {
  const found: Json[] = [];
  for (let at = nextStart(reply, 0); at >= 0; ) {
    const end = objectEnd(reply, at);
    const value = looseParse(end < 0 ? reply.slice(at) : reply.slice(at, end));
    if (value !== undefined) found.push(value);
    at = nextStart(reply, value === undefined || end < 0 ? at + 1 : end);
  }
  return found;
}

function nextStart(text: string, from: number): number {
  const at = text.slice(from).search(/[{[]\s*[{"'/\w]/);
  return at < 0 ? -1 : from + at;
}

/** Parses what a trained eye can: the slips that a hint names, and missing brackets. */
export function looseParse(text: string): Json | undefined {
  const strict = tidy(text);
  for (const closing of ['', '"', '}', ']}', '}}', '"}}', '"}', '}]}', '}}}']) {
    try {
      return JSON.parse(strict + closing) as Json;
    } catch {}
  }
  return undefined;
}

function tidy(text: string): string {
  return text
    .replace(/("(?:[^"\\]|\\.)*")|\/\/[^\n]*/g, (_, kept: string | undefined) => kept ?? '')
    .replace(/'([^'"]*)'/g, '"$1"')
    .replace(/"(?:[^"\\]|\\[\s\S])*"/g, (part) => part.replaceAll('\n', '\\n'))
    .replace(/([{,]\s*)([A-Za-z_]\w*)\s*:/g, '$1"$2":')
    .replace(/,(\s*[}\]])/g, '$1')
    .replace(/:\s*True\b/g, ':true')
    .replace(/:\s*False\b/g, ':false')
    .replace(/:\s*None\b/g, ':null');
}

function objectEnd(text: string, start: number): number {
  let depth = 0;
  let inString = false;
  for (let i = start; i < text.length; i++) {
    const char = text[i] ?? '';
    if (inString && char === '\\') i += 1;
    else if (char === '"') inString = !inString;
    else if (!inString && '{['.includes(char)) depth += 1;
    else if (!inString && '}]'.includes(char) && --depth === 0) return i + 1;
  }
  return -1;
}
