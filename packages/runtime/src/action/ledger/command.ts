import { type Simple, simpleCommands, type Word } from './tokens.ts';
import { PROGRAMS, type Program } from './programs.ts';

export type Category = 'test' | 'build' | 'search' | 'read-only' | 'other';

/** What is known of a shell command from its text alone. */
export type Command = {
  /** One spelling for commands that differ in blanks and quotes only. */
  readonly form: string;
  readonly category: Category;
  /** Proven to change nothing. What is not known is not proven. */
  readonly readOnly: boolean;
  /** The files that its output is made of, and of nothing else; null where it may depend on more. */
  readonly files: readonly string[] | null;
};

/** Reads a command. Unknown programs, unknown options and anything that bash would expand make it `other`. */
export function readCommand(text: string): Command {
  const commands = simpleCommands(text);
  if (commands === null) return { form: text.trim(), category: 'other', readOnly: false, files: null };
  const uses = commands.map(useOf);
  const readOnly = uses.every((use) => use.readOnly);
  return {
    form: commands.map(formOf).join(' '),
    category: categoryOf(commands, readOnly),
    readOnly,
    files: readOnly ? filesOf(commands, uses) : null,
  };
}

function formOf({ words, operator }: Simple): string {
  const shown = words.map(({ text }) => (/^[\w@%+=:,./-]+$/.test(text) ? text : JSON.stringify(text)));
  return [...shown, ...(operator === '' ? [] : [operator])].join(' ');
}

type Use = { readonly readOnly: boolean; readonly files: readonly string[] | null };

const UNKNOWN: Use = { readOnly: false, files: null };

function useOf({ words }: Simple): Use {
  const [first, ...rest] = words;
  const program = Object.hasOwn(PROGRAMS, first?.text ?? '') ? PROGRAMS[first?.text ?? ''] : undefined;
  if (program === undefined) return UNKNOWN;
  const texts = rest.map(({ text }) => text);
  if (!program.readOnly(texts)) return UNKNOWN;
  return { readOnly: true, files: operands(program, rest) };
}

/** The file operands of a program whose output depends on them alone; null for an option that is not known. */
function operands(program: Program, words: readonly Word[]): readonly string[] | null {
  const { pure } = program;
  if (pure === undefined || words.some(({ plain }) => !plain)) return null;
  const found: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const text = (words[at] as Word).text;
    if (pure.valued.test(text)) at++;
    else if (text.startsWith('-') && !pure.flags.test(text)) return null;
    else if (!text.startsWith('-')) found.push(text);
  }
  const files = found.slice(pure.first);
  return found.length < pure.first || files.length > pure.most ? null : files;
}

/** Every pipeline begins with a command that reads named files; what stands behind a pipe only filters. */
function filesOf(commands: readonly Simple[], uses: readonly Use[]): readonly string[] | null {
  const files = new Set<string>();
  for (const [index, { files: own }] of uses.entries()) {
    const piped = index > 0 && commands[index - 1]?.operator === '|';
    if (own === null || (own.length === 0 && !piped)) return null;
    for (const file of own) files.add(file);
  }
  return [...files];
}

const TEST = [
  /^(?:npm|pnpm|yarn|bun) (?:run )?(?:t|test)(?::\S+)?(?: |$)/,
  /^(?:npx |pnpm exec |yarn |bunx )?(?:vitest|jest|mocha|ava|playwright test|cypress run)(?: |$)/,
  /^(?:python3? -m )?(?:pytest|unittest|nose2?)(?: |$)/,
  /^(?:cargo (?:test|nextest)|go test|node --test|deno test|dotnet test|swift test|mix test)(?: |$)/,
  /^(?:bundle exec )?(?:rspec|rake test)(?: |$)/,
  /^(?:make (?:test|check)|ctest|tox|phpunit)(?: |$)/,
  /^(?:mvn|gradle|\.\/gradlew|\.\/mvnw) (?:\S+ )*(?:test|check|verify)(?: |$)/,
];
const BUILD =
  /^(?:(?:npm|pnpm|yarn|bun) run (?:build|compile)|(?:npx )?tsc|make|cargo (?:build|check)|go (?:build|vet)|mvn|gradle|ninja|cmake --build|dotnet build)(?: |$)/;
const SEARCH = /^(?:grep|egrep|fgrep|rg|ag|ack|fd|find|git grep)(?: |$)/;

function categoryOf(commands: readonly Simple[], readOnly: boolean): Category {
  const forms = commands.map(({ words }) => words.map(({ text }) => text).join(' '));
  if (forms.some((form) => TEST.some((test) => test.test(form)))) return 'test';
  if (forms.some((form) => BUILD.test(form))) return 'build';
  if (!readOnly) return 'other';
  return forms.some((form) => SEARCH.test(form)) ? 'search' : 'read-only';
}
