import { scanValue } from '../json/parse.ts';

/** A stretch of a reply that may hold a transition. */
export type Candidate = {
  readonly start: number;
  readonly end: number;
  /** It stands in a JSON fence. */
  readonly fenced: boolean;
  /** It names `state_patch`, or only `action`, or neither. */
  readonly names: 'patch' | 'action' | 'neither';
};

/** What a reply's text holds once reasoning and fences of other languages are set aside. */
export type Located = {
  /** Values whose brackets close, in order, whether or not they are valid JSON. */
  readonly candidates: readonly Candidate[];
  /** The first value that reads like JSON and never closes. */
  readonly open: Candidate | null;
  /** The search gave up: more unfinished values than any honest reply has. */
  readonly gaveUp: boolean;
};

/** What interrupts prose: a reasoning tag, a fence at the start of a line, or the start of an object or list of objects. */
const MARK = /<(\/?)(think|thinking|thought|reasoning)>|^ {0,3}(`{3,}|~{3,})([^\n]*)|\{|\[(?=\s*\{)/gim;
const JSON_INFO = /^\s*(?:json[c5]?\b[^{[\n]*)?(?=$|[{[])/i;
/** What reads like JSON or JSON5, not like a brace in prose. */
const JSON_START = /^[{[]\s*(?:[{"'/]|[A-Za-z_$][\w$]*\s*:)/;
const MOST_OPEN = 32;

type Search = {
  readonly text: string;
  candidates: Candidate[];
  open: Candidate | null;
  opens: number;
  /** The marker of the JSON fence that the search is in. */
  fence: string | null;
};

/**
 * Finds every JSON object (or list of objects) outside reasoning and outside fences of other languages. Tags and fences
 * inside JSON strings are text (P01, P03). A closing reasoning tag without an opening one makes all before it reasoning;
 * an opening one without a closing one all after it. Linear, but for at most `MOST_OPEN` restarts.
 */
export function locate(text: string): Located {
  const search: Search = { text, candidates: [], open: null, opens: 0, fence: null };
  const mark = new RegExp(MARK);
  for (let match = mark.exec(text); match !== null; match = mark.exec(text)) {
    const [whole, slash, tag, ticks, info] = match;
    if (tag !== undefined) mark.lastIndex = passReasoning(search, tag, slash === '/', mark.lastIndex);
    else if (ticks !== undefined)
      mark.lastIndex = passFence(search, mark.lastIndex - (info ?? '').length, ticks, info ?? '');
    else mark.lastIndex = passValue(search, match.index + whole.length - 1);
    if (search.opens > MOST_OPEN) break;
  }
  return { candidates: search.candidates, open: search.open, gaveUp: search.opens > MOST_OPEN };
}

/** The reply without the given stretch and its fence: what the model said around its transition. */
export function around(text: string, { start, end }: Pick<Candidate, 'start' | 'end'>): string {
  const before = text.slice(0, start).replace(/(?:`{3,}|~{3,})[^\n`{]{0,40}\n?\s*$/, '');
  const after = text.slice(end).replace(/^\s*(?:`{3,}|~{3,})/, '');
  return `${before.trim()}\n${after.trim()}`.trim();
}

function passReasoning(search: Search, tag: string, closing: boolean, at: number): number {
  if (closing) {
    search.candidates = [];
    search.open = null;
    search.fence = null;
    return at;
  }
  const close = new RegExp(`</${tag}>`, 'gi');
  close.lastIndex = at;
  return close.exec(search.text) === null ? search.text.length : close.lastIndex;
}

/** Enters or leaves a JSON fence (untagged ones count); skips a fence of another language whole. `at`: behind the ticks. */
function passFence(search: Search, at: number, ticks: string, info: string): number {
  if (search.fence !== null && ticks.startsWith(search.fence) && info.trim() === '') {
    search.fence = null;
    return at;
  }
  const json = JSON_INFO.exec(info);
  if (json !== null) {
    search.fence = ticks;
    return at + json[0].length;
  }
  if (info.includes('`')) return at;
  search.fence = null;
  const close = new RegExp(`^ {0,3}${ticks}[ \\t]*\\r?$`, 'gm');
  close.lastIndex = at + info.length;
  return close.exec(search.text) === null ? search.text.length : close.lastIndex;
}

function passValue(search: Search, start: number): number {
  const { text } = search;
  const scan = scanValue(text, start);
  if (scan.state === 'complete') {
    search.candidates.push(candidate(search, start, scan.end));
    return scan.end;
  }
  if (!JSON_START.test(text.slice(start, start + 64))) return Math.max(scan.end, start + 1);
  const end = scan.state === 'truncated' ? -1 : bracketsEnd(text, start);
  if (end >= 0) {
    search.candidates.push(candidate(search, start, end));
    return end;
  }
  search.opens += 1;
  search.open ??= candidate(search, start, fenceEnd(search, start));
  return Math.max(scan.end, start + 1);
}

/** Where the JSON fence that the search is in closes; the end of the text where it does not or there is none. */
function fenceEnd({ text, fence }: Search, from: number): number {
  const at = fence === null ? -1 : text.indexOf(`\n${fence}`, from);
  return at < 0 ? text.length : at;
}

function candidate({ text, fence }: Search, start: number, end: number): Candidate {
  return { start, end, fenced: fence !== null, names: namesIn(text.slice(start, end)) };
}

export function namesIn(text: string): Candidate['names'] {
  if (/(["']?)\bstate_patch\1\s*:/.test(text)) return 'patch';
  return /(["'])action\1\s*:/.test(text) ? 'action' : 'neither';
}

/** Where the brackets that open at `start` close again, JSON strings respected, in text that is not valid JSON; -1: nowhere. */
function bracketsEnd(text: string, start: number): number {
  let depth = 0;
  let inString = false;
  for (let i = start; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (inString && unit === 0x5c) i += 1;
    else if (unit === 0x22) inString = !inString;
    else if (inString) continue;
    else if (unit === 0x7b || unit === 0x5b) depth += 1;
    else if ((unit === 0x7d || unit === 0x5d) && --depth === 0) return i + 1;
  }
  return -1;
}
