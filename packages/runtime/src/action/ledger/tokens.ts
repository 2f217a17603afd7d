/** One word of a command. `plain`: it means itself, with no pattern in it. */
export type Word = { readonly text: string; readonly plain: boolean };

/** A simple command and the operator behind it. */
export type Simple = { readonly words: readonly Word[]; readonly operator: '|' | '&&' | '||' | ';' | '' };

const LONGEST = 4096;

/** Redirections that neither create nor read a file. */
const HARMLESS = /^(?:[12]?>&[12]|[12&]?>>?\s?\/dev\/null)(?=[\s|;&]|$)/;

/**
 * The simple commands of a shell command, where it is made of nothing but words, quotes, `|`, `&&`, `||`, `;` and
 * redirections to nowhere. Null for everything else (expansions, substitutions, other redirections, groups, assignments,
 * background): it may do anything.
 */
export function simpleCommands(command: string): readonly Simple[] | null {
  if (command.length > LONGEST) return null;
  const commands: Simple[] = [];
  let words: Word[] = [];
  for (let rest = command.trim(); ; ) {
    if (rest === '') break;
    const harmless = HARMLESS.exec(rest);
    const operator = /^(?:&&|\|\||[|;\n])/.exec(rest)?.[0];
    if (harmless !== null) rest = rest.slice(harmless[0].length);
    else if (operator !== undefined) {
      if (words.length === 0) return null;
      commands.push({ words, operator: operator === '\n' ? ';' : (operator as Simple['operator']) });
      words = [];
      rest = rest.slice(operator.length);
    } else {
      const word = readWord(rest);
      if (word === null || (words.length === 0 && !/^[\w./+-]+$/.test(word.word.text))) return null;
      words.push(word.word);
      rest = rest.slice(word.length);
    }
    rest = rest.replace(/^[ \t]+/, '');
  }
  if (words.length > 0) commands.push({ words, operator: '' });
  return commands.length > 0 ? commands : null;
}

/** The word that a text begins with; null where it holds anything that bash would expand or act on. */
function readWord(text: string): { readonly word: Word; readonly length: number } | null {
  let value = '';
  let plain = true;
  let at = 0;
  while (at < text.length && !/[\s|;&]/.test(text[at] as string)) {
    const quoted = /^(?:'([^']*)'|"((?:[^"\\$`!]|\\["\\])*)")/.exec(text.slice(at));
    if (quoted !== null) {
      value += quoted[1] ?? (quoted[2] as string).replace(/\\(["\\])/g, '$1');
      at += quoted[0].length;
      continue;
    }
    const char = text[at] as string;
    const escaped = char === '\\' ? text[at + 1] : undefined;
    if (/['"`$<>(){}!#~\\]/.test(char) && (escaped === undefined || !/[ '"$*?[\]()&;|.-]/.test(escaped)))
      return null;
    if (/[*?[]/.test(char)) plain = false;
    value += escaped ?? char;
    at += escaped === undefined ? 1 : 2;
  }
  return at === 0 ? null : { word: { text: value, plain }, length: at };
}
