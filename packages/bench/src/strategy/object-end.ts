/** Behind the brace that closes the JSON object at `start`; null where none does. Iterative, and blind to what is in strings. */
export function objectEnd(text: string, start: number): number | null {
  let depth = 0;
  let inString = false;
  for (let i = start; i < text.length; i++) {
    const char = text[i];
    if (inString && char === '\\') i += 1;
    else if (char === '"') inString = !inString;
    else if (!inString && char === '{') depth += 1;
    else if (!inString && char === '}' && --depth === 0) return i + 1;
  }
  return null;
}
