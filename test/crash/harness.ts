import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openSqliteStore, type RunEvent, verifyRun } from '@skillstate/runtime';
import { effectsIn, STEPS } from './skill.ts';

const WORKER = fileURLToPath(new URL('./worker.ts', import.meta.url));
const RUN = 'crash-1';

/** How to kill: at a commit point by itself, or from outside, some milliseconds after it began to drive. */
export type Kill = { readonly trap: string } | { readonly afterMs: number };

export type CrashReport = {
  readonly problems: readonly string[];
  readonly status: string;
  readonly kills: number;
  readonly unknown: number;
};

/** Starts a run, kills its process as told (once per entry), drives it to rest, and checks what must hold. */
export async function crashRun(kills: readonly Kill[]): Promise<CrashReport> {
  const folder = mkdtempSync(join(tmpdir(), 'skillstate-crash-'));
  const db = join(folder, 'runs.db');
  const effects = join(folder, 'effects.jsonl');
  const problems: string[] = [];
  let killed = 0;
  let accepted = 0;
  try {
    for (const kill of kills) {
      if (await work(db, effects, kill)) killed++;
      const steps = await acceptedSteps(db);
      if (steps < accepted) problems.push(`step ${accepted} was committed and is lost (now ${steps})`);
      accepted = steps;
    }
    let last = await finish(db, effects);
    for (let drives = 0; drives < 3 && !atRest(last); drives++) last = await finish(db, effects);
    problems.push(...(await check(db, effects, last)));
    return { problems, status: last.status, kills: killed, unknown: last.unresolved };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

type Last = { readonly status: string; readonly steps: number; readonly unresolved: number };

/** Finished, or honestly waiting for a person because of an effect that nothing can look up. */
function atRest({ status, unresolved }: Last): boolean {
  return status === 'finished' || (status === 'needs_attention' && unresolved > 0);
}

/** Runs a worker; true where it was killed. */
function work(db: string, effects: string, kill: Kill | null): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const trap = kill !== null && 'trap' in kill ? [kill.trap] : [];
    const child = spawn(process.execPath, [WORKER, db, RUN, effects, ...trap], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let timer: NodeJS.Timeout | undefined;
    child.stdout.once('data', () => {
      if (kill !== null && 'afterMs' in kill) timer = setTimeout(() => child.kill('SIGKILL'), kill.afterMs);
    });
    let errors = '';
    child.stderr.on('data', (chunk: Buffer) => {
      errors += chunk.toString();
    });
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      clearTimeout(timer);
      if (signal === 'SIGKILL') resolve(true);
      else if (code === 0) resolve(false);
      else reject(new Error(`worker ended with ${code}: ${errors.slice(-2000)}`));
    });
  });
}

async function finish(db: string, effects: string): Promise<Last> {
  await work(db, effects, null);
  const store = await openSqliteStore(db);
  const loaded = await store.load(RUN);
  await store.close();
  if (loaded === null) throw new Error('the run is gone');
  const { status, step, unresolved } = loaded.head;
  return { status, steps: step, unresolved: unresolved.length };
}

async function acceptedSteps(db: string): Promise<number> {
  if (!existsSync(db)) return 0;
  const store = await openSqliteStore(db);
  const loaded = await store.load(RUN);
  await store.close();
  return loaded?.head.step ?? 0;
}

/** No step lost, no effect twice, an honest end, a whole log. */
async function check(db: string, effects: string, last: Last): Promise<string[]> {
  const problems: string[] = [];
  const seen = effectsIn(effects);
  const counts = new Map<string, number>();
  for (const { tool, n } of seen) counts.set(`${tool} ${n}`, (counts.get(`${tool} ${n}`) ?? 0) + 1);
  for (const [effect, count] of counts) if (count > 1) problems.push(`${effect} happened ${count} times`);
  if (last.status === 'finished' && last.unresolved > 0) problems.push('finished with unknown effects');
  if (!atRest(last)) problems.push(`ended as ${last.status}`);
  const store = await openSqliteStore(db);
  const verified = await verifyRun(store, RUN);
  if (!verified.ok) problems.push(`verify: ${JSON.stringify(verified)}`);
  const events: RunEvent[] = [];
  for await (const event of store.events(RUN)) events.push(event);
  await store.close();
  const accepted = events.flatMap((event) => (event.type === 'step.accepted' ? [event] : []));
  // A run that waits for a person because of an unknown effect says finish again each time it is resumed.
  const right = accepted.every(
    ({ step, action }, index) => step === index + 1 && step > STEPS === (action.tool === 'finish'),
  );
  if (!right || accepted.length <= STEPS)
    problems.push(
      `steps in the log: ${accepted.map(({ step, action }) => `${step} ${action.tool}`).join(', ')}`,
    );
  for (const { tool, n } of seen)
    if (
      !events.some(
        (event) =>
          event.type === 'step.accepted' && event.action.tool === tool && event.action.args['n'] === n,
      )
    )
      problems.push(`${tool} ${n} happened without a committed intent`);
  return problems;
}

/** A small seeded generator (mulberry32), so that a failing seed can be run again. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
