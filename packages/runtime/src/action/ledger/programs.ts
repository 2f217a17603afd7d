/** What is known of a program. Whatever is not listed here may change anything. */
export type Program = {
  /** Whether it changes nothing with these arguments. */
  readonly readOnly: (args: readonly string[]) => boolean;
  /** Given where its output depends on the files it names (and on what is piped in) alone. */
  readonly pure?: {
    /** Options that stand alone. */
    readonly flags: RegExp;
    /** Options that take the next word. */
    readonly valued: RegExp;
    /** Operands before the files: a pattern. */
    readonly first: number;
    /** Most files. */
    readonly most: number;
  };
};

const always = (): boolean => true;
const without =
  (...forbidden: readonly RegExp[]) =>
  (args: readonly string[]): boolean =>
    !args.some((arg) => forbidden.some((pattern) => pattern.test(arg)));
const NEVER = /(?!)/;

function reads(
  flags: RegExp,
  valued: RegExp = NEVER,
  more: { first?: number; most?: number; readOnly?: Program['readOnly'] } = {},
): Program {
  const { first = 0, most = 100, readOnly = always } = more;
  return { readOnly, pure: { flags, valued, first, most } };
}

const looks = (readOnly: Program['readOnly'] = always): Program => ({ readOnly });

const COUNTED = /^-(?:\d+|[nc]\d+|[qv]+|-(?:lines|bytes)=\d+)$/;
const GREP = reads(
  /^-(?:[EFGPinvwxclqshHoaz]+|[ABCm]\d+|-(?:ignore-case|count|line-number|invert-match|fixed-strings|extended-regexp|only-matching|no-filename))$/,
  /^-[ABCm]$/,
  { first: 1 },
);

/** `-n` with addresses and `p` alone: other scripts of sed can write files and run commands. */
function printsLines(args: readonly string[]): boolean {
  return (
    args[0] === '-n' &&
    /^\d+(?:,(?:\d+|\$))?p(?:;\d+(?:,(?:\d+|\$))?p)*$/.test(args[1] ?? '') &&
    !args.slice(2).some((arg) => arg.startsWith('-'))
  );
}

const GIT = new Set([
  'status',
  'log',
  'diff',
  'show',
  'blame',
  'ls-files',
  'rev-parse',
  'grep',
  'describe',
  'shortlog',
  'cat-file',
  'ls-tree',
]);

function gitLooks(args: readonly string[]): boolean {
  return (
    GIT.has(args[0] ?? '') &&
    without(/^--output/, /^--ext-diff/, /^--textconv/, /^-O/, /^--open-files-in-pager/)(args.slice(1))
  );
}

export const PROGRAMS: Readonly<Record<string, Program>> = {
  cat: reads(/^-[AbeEnstTuv]+$/),
  head: reads(COUNTED, /^-[nc]$/),
  tail: reads(COUNTED, /^-[nc]$/),
  sed: reads(/^-n$/, NEVER, { first: 1, readOnly: printsLines }),
  nl: reads(/^-b[at]$/),
  wc: reads(/^-[clmwL]+$/),
  tac: reads(NEVER),
  rev: reads(NEVER),
  cut: reads(/^-[dfcb].+$/, /^-[dfcb]$/),
  sort: reads(/^-[bdfgnrsuV]+$/, /^-[kt]$/, {
    readOnly: without(/^-[a-zA-Z]*o/, /^--o/, /^--compress-program/, /^-[a-zA-Z]*T/, /^--temp/),
  }),
  uniq: reads(/^-[cdiu]+$/, NEVER, {
    most: 1,
    readOnly: (args) => args.filter((arg) => !arg.startsWith('-')).length <= 1,
  }),
  cmp: reads(/^-[bls]+$/),
  diff: reads(/^-(?:[ubwiBq]+|U\d+)$/),
  grep: GREP,
  egrep: GREP,
  fgrep: GREP,
  md5sum: reads(NEVER),
  sha1sum: reads(NEVER),
  sha256sum: reads(NEVER),
  ls: looks(),
  pwd: looks(),
  echo: looks(),
  true: looks(),
  test: looks(),
  stat: looks(),
  file: looks(without(/^-C/, /^--compile/)),
  du: looks(),
  df: looks(),
  which: looks(),
  whoami: looks(),
  uname: looks(),
  basename: looks(),
  dirname: looks(),
  realpath: looks(),
  readlink: looks(),
  jq: looks(),
  date: looks(without(/^-s/, /^--set/)),
  tree: looks(without(/^-o/, /^--output/)),
  find: looks(without(/^-(?:delete|exec|execdir|ok|okdir|fprint|fprint0|fprintf|fls)$/)),
  rg: looks(without(/^--pre/, /^--hostname-bin/, /^--search-zip/, /^-[a-zA-Z]*z/)),
  git: looks(gitLooks),
};
