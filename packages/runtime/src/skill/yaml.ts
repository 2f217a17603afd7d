import {
  type Document,
  isAlias,
  isCollection,
  isMap,
  isPair,
  isScalar,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  visit,
  type YAMLError,
} from 'yaml';
import { checkJson } from '../json/parse.ts';
import { parsePointer } from '../json/pointer.ts';
import { MOST_ISSUES, numberFault } from '../json/rules.ts';
import type { Issue, Json, Result } from '../types.ts';
import { failed, skillIssue } from './issue.ts';
import type { Source } from './source.ts';

export type Yaml = { readonly value: Json; readonly source: Source };

export type YamlOptions = {
  readonly file: string;
  /** Line of the file on which the text begins, from 1. */
  readonly firstLine: number;
  /** Keep every scalar but null as the text it was written as. */
  readonly strings: boolean;
};

/** Most times that aliases may be expanded. */
const MOST_ALIASES = 50;
const TOO_DEEP = 'nested too deeply';

/**
 * Parses YAML 1.2 (core schema) as data only: no tags, no directives, one document, plain keys, bounded aliases. What JSON
 * would not hold is refused. A number with a leading zero stays text (`0123`). Each issue names file and line.
 *
 * Codes: `skill.yaml`, and those of `checkJson`.
 */
export function parseYaml(text: string, options: YamlOptions): Result<Yaml> {
  const lines = new LineCounter();
  const at = (offset: number): string =>
    `${options.file} line ${lines.linePos(offset).line + options.firstLine - 1}: `;
  try {
    const document = parseDocument(text, {
      schema: 'core',
      uniqueKeys: true,
      merge: false,
      prettyErrors: false,
      logLevel: 'silent',
      lineCounter: lines,
    });
    const errors = [...document.errors, ...document.warnings].map((error) => yamlIssue(error, text, at));
    if (errors.length > 0) return { ok: false, issues: onePerLine(errors) };
    const refused = refusedNodes(document, options.strings, at);
    if (refused.length > 0) return { ok: false, issues: refused };
    keepText(document, options.strings);
    const checked = checkJson(document.toJS({ maxAliasCount: MOST_ALIASES }));
    const source = sourceOf(document, at);
    if (checked.ok) return { ok: true, value: { value: checked.value, source } };
    return {
      ok: false,
      issues: checked.issues.map((issue) => ({ ...issue, hint: source.where(issue.path) + issue.hint })),
    };
  } catch (error) {
    return failed(skillIssue('yaml', '', `${options.file}: ${thrown(error)}`));
  }
}

function thrown(error: unknown): string {
  if (error instanceof RangeError) return TOO_DEEP;
  const message = error instanceof Error ? error.message : String(error);
  return /alias/i.test(message) ? `aliases expand to too much (at most ${MOST_ALIASES} uses)` : message;
}

/** One fault often makes others on its line. */
function onePerLine(issues: readonly Issue[]): Issue[] {
  const byLine = new Map<string, Issue>();
  for (const issue of issues) {
    const line = issue.hint.slice(0, issue.hint.indexOf(':'));
    if (!byLine.has(line)) byLine.set(line, issue);
  }
  return [...byLine.values()].slice(0, MOST_ISSUES);
}

function yamlIssue(error: YAMLError, text: string, at: (offset: number) => string): Issue {
  const line = text.slice(text.lastIndexOf('\n', error.pos[0] - 1) + 1).split('\n', 1)[0] as string;
  const tag = error.code === 'TAG_RESOLVE_FAILED';
  const message = tag ? 'tags are not allowed' : /call stack/.test(error.message) ? TOO_DEEP : error.message;
  return skillIssue('yaml', '', at(error.pos[0]) + message + fixFor(error.code, line));
}

/** What to do about the faults that people really make. */
function fixFor(code: string, line: string): string {
  const key = /^\s*([\w-]+)\s*:\s/.exec(line)?.[1] ?? 'key';
  if (code === 'DUPLICATE_KEY') return '; delete one of the two';
  if (code === 'TAB_AS_INDENT') return '; indent with spaces';
  const quotable = [
    'BLOCK_AS_IMPLICIT_KEY',
    'UNEXPECTED_TOKEN',
    'BAD_SCALAR_START',
    'MULTILINE_IMPLICIT_KEY',
  ];
  if (!quotable.includes(code)) return '';
  return `; quote the whole value (${key}: "…", with \\" for a quotation mark inside) or write it as a block (${key}: |)`;
}

/** Tags, directives and keys that are not plain text: YAML's ways to mean more than data. */
function refusedNodes(document: Document, strings: boolean, at: (offset: number) => string): Issue[] {
  const issues: Issue[] = [];
  const refuse = (node: { range?: readonly number[] | null | undefined }, hint: string): void => {
    issues.push(skillIssue('yaml', '', at(node.range?.[0] ?? 0) + hint));
  };
  visit(document, {
    Node(_, node) {
      if (!isAlias(node) && node.tag !== undefined) refuse(node, `tags are not allowed (${node.tag})`);
    },
    Pair(_, pair) {
      if (!isScalar(pair.key)) refuse(isCollection(pair.key) ? pair.key : {}, 'a key must be plain text');
    },
    Scalar(_, scalar) {
      if (strings || typeof scalar.value !== 'number') return;
      const fault = numberFault(scalar.value, scalar.source ?? String(scalar.value));
      const hexadecimal = /^0[xo]/.test(scalar.source ?? '');
      if (fault !== null && !hexadecimal) refuse(scalar, `${fault}, in quotes`);
    },
  });
  return issues;
}

function keepText(document: Document, everything: boolean): void {
  visit(document, {
    Scalar(_, scalar) {
      const { source, value } = scalar;
      if (source === undefined || value === null || typeof value === 'string') return;
      if (everything || (typeof value === 'number' && /^[-+]?0\d/.test(source))) scalar.value = source;
    },
  });
}

function sourceOf(document: Document, at: (offset: number) => string): Source {
  return {
    where(path) {
      const segments = parsePointer(path) ?? [];
      for (let size = segments.length; size > 0; size--) {
        const start = startOf(document, segments.slice(0, size));
        if (start !== null) return at(start);
      }
      return at(document.contents?.range?.[0] ?? 0);
    },
    plain(path) {
      const node = document.getIn(steps(document, parsePointer(path) ?? []), true);
      return isScalar(node) && node.type === 'PLAIN' && typeof node.value !== 'string' && node.value !== null
        ? (node.source ?? null)
        : null;
    },
  };
}

/** Pointer segments as `yaml` wants them: numbers in sequences, real keys in maps. */
function steps(document: Document, segments: readonly string[]): unknown[] {
  const found: unknown[] = [];
  for (const segment of segments) {
    const here = found.length === 0 ? document.contents : document.getIn(found, true);
    found.push(
      isMap(here)
        ? ((pairAt(here.items, segment)?.key as { value?: unknown })?.value ?? segment)
        : Number(segment),
    );
  }
  return found;
}

function pairAt(items: readonly Pair[], key: string): Pair | undefined {
  return items.find((pair) => isPair(pair) && isScalar(pair.key) && String(pair.key.value) === key);
}

function startOf(document: Document, segments: readonly string[]): number | null {
  const parents = steps(document, segments.slice(0, -1));
  const parent = parents.length === 0 ? document.contents : document.getIn(parents, true);
  const last = segments.at(-1) as string;
  const node = isMap(parent)
    ? pairAt(parent.items, last)?.key
    : isCollection(parent)
      ? parent.get(Number(last), true)
      : undefined;
  return (node as Node | undefined)?.range?.[0] ?? null;
}
