import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const client = fileURLToPath(new URL('client.ts', import.meta.url));
const page = readFileSync(new URL('../../docs/mcp-conformance.md', import.meta.url), 'utf8');
const suite = createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/dist/index.js');

/** Runs the suite's client side with our client; gives all that it prints. */
async function conformance(revision: string, ...which: string[]): Promise<{ said: string; passed: boolean }> {
  const folder = mkdtempSync(join(tmpdir(), 'skillstate-conformance-'));
  try {
    const args = [
      suite,
      'client',
      '--command',
      `${process.execPath} ${client}`,
      ...which,
      '--spec-version',
      revision,
      '--timeout',
      '120000',
    ];
    return await new Promise((resolve) => {
      execFile(process.execPath, args, { cwd: folder, maxBuffer: 1 << 26 }, (error, stdout, stderr) =>
        resolve({ said: stdout + stderr, passed: error === null }),
      );
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * The suite's own verdict of each scenario that applies to a revision of the specification. It runs them side by side with
 * a time limit each; one that fails there is asked again alone, so that a busy machine fails no test.
 */
async function verdicts(revision: string): Promise<Map<string, boolean>> {
  const { said } = await conformance(revision, '--suite', 'all');
  const lines = said.slice(said.indexOf('SUITE SUMMARY')).matchAll(/^([✓✗]) (\S+):/gm);
  const found = new Map([...lines].map(([, mark, name = '']) => [name, mark === '✓']));
  for (const [name, passed] of found)
    for (let tries = 0; tries < 2 && !passed && found.get(name) === false; tries++)
      found.set(name, (await conformance(revision, '--scenario', name)).passed);
  return found;
}

/** Scenarios that the page claims for a revision: its column of the table says "pass". */
function claimed(revision: string): string[] {
  const rows = page.split('\n').filter((line) => line.startsWith('|'));
  const column = rows[0]?.split('|').findIndex((cell) => cell.trim() === revision) ?? -1;
  return rows.flatMap((row) => {
    const cells = row.split('|').map((cell) => cell.trim());
    return cells[column] === 'pass' ? [(cells[1] ?? '').replaceAll('`', '')] : [];
  });
}

test.each(['2025-11-25', '2026-07-28'])(
  'every client scenario of the official suite passes at %s, and the page lists them',
  async (revision) => {
    const found = await verdicts(revision);
    expect([...found].filter(([, passed]) => !passed).map(([name]) => name)).toEqual([]);
    expect([...found.keys()].sort()).toEqual(claimed(revision).sort());
    expect(found.size).toBeGreaterThan(15);
  },
  300_000,
);
