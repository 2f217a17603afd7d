import { createHash } from 'node:crypto';
import { type FileCounts, transcriptFiles } from './files.ts';
import { readLines } from './lines.ts';
import { createSessionCounter, type Session, type SessionCounter } from './session.ts';
import { readModel, readTurn, type TurnCounters } from './turn.ts';

export type Scan = FileCounts & {
  lines: number;
  /** Lines that are no JSON, too long, or whose counters are no counts. */
  badLines: number;
  /** Calls that an earlier file had told already, as resumed sessions do. */
  repeatedTurns: number;
  readonly sessions: Session[];
};

/** Calls remembered across files, to count a copied one once. Eight bytes each; beyond this, copies count again. */
const MOST_REMEMBERED = 2_000_000;

/**
 * Counts every transcript below a folder: one file and one line at a time, counters only. Throws where the folder itself
 * cannot be read.
 */
export async function scanTranscripts(
  root: string,
  onFile: (files: number) => void = () => {},
): Promise<Scan> {
  const files: FileCounts = { files: 0, symlinks: 0, tooDeep: 0, unreadable: 0 };
  const scan: Scan = { ...files, lines: 0, badLines: 0, repeatedTurns: 0, sessions: [] };
  const told = new Set<number>();
  for await (const path of transcriptFiles(root, scan)) {
    await scanFile(path, scan, told).catch(() => {
      scan.unreadable += 1;
    });
    onFile(scan.files);
  }
  return scan;
}

async function scanFile(path: string, scan: Scan, told: Set<number>): Promise<void> {
  const chains = new Map<string, SessionCounter>();
  const here = new Set<number>();
  let model = '';
  for await (const text of readLines(path)) {
    if (text?.trim() === '') continue;
    scan.lines += 1;
    const line = parseLine(text);
    if (line === undefined) {
      scan.badLines += 1;
      continue;
    }
    model = readModel(line) ?? model;
    const turn = turnOrBad(line, model, scan);
    if (turn === null || isRepeated(turn, told, here, scan)) continue;
    const counter = chains.get(turn.chain) ?? createSessionCounter();
    chains.set(turn.chain, counter);
    counter.add(turn);
  }
  for (const key of here) if (told.size < MOST_REMEMBERED) told.add(key);
  for (const counter of chains.values()) {
    const session = counter.end();
    if (session !== null) scan.sessions.push(session);
  }
}

function parseLine(text: string | null): unknown {
  if (text === null) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function turnOrBad(line: unknown, model: string, scan: Scan): TurnCounters | null {
  try {
    return readTurn(line, model);
  } catch {
    scan.badLines += 1;
    return null;
  }
}

/** Only Claude Code's message ids are the same in every file. */
function isRepeated(turn: TurnCounters, told: ReadonlySet<number>, here: Set<number>, scan: Scan): boolean {
  if (turn.source !== 'claude-code' || turn.id === '') return false;
  const key = createHash('sha256').update(turn.id).digest().readUIntBE(0, 6);
  if (told.has(key)) {
    if (!here.has(key)) scan.repeatedTurns += 1;
    here.add(key);
    return true;
  }
  here.add(key);
  return false;
}
