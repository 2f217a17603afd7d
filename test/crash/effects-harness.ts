/** Kills the runtime, the MCP server or both in the middle of effects, and counts in the server's own database what happened. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openSqliteStore, type RunEvent, type RunHead, verifyRun } from '@skillstate/runtime';
import { ITEMS } from './effects-skill.ts';
import { allEffects } from './effects-world.ts';

const SERVER = fileURLToPath(new URL('./effects-server.ts', import.meta.url));
const WORKER = fileURLToPath(new URL('./effects-worker.ts', import.meta.url));
const RUN = 'effects-1';

export type EffectsKill = { readonly target: 'runtime' | 'server' | 'both'; readonly afterMs: number };
export type EffectsReport = {
  readonly problems: readonly string[];
  readonly kills: number;
  /** Effects whose outcome stayed unknown until a person looked. */
  readonly unknown: number;
};

type Place = { readonly db: string; readonly world: string; readonly http: boolean };
type Remote = { process: ChildProcess | null; port: number };

/** One run: as many drives as kills, one more to bring it to rest, and a person for what is still unknown. */
export async function effectsRun(kills: readonly EffectsKill[], http: boolean): Promise<EffectsReport> {
  const folder = mkdtempSync(join(tmpdir(), 'skillstate-effects-'));
  const place: Place = { db: join(folder, 'runs.db'), world: join(folder, 'world.db'), http };
  const remote: Remote = { process: null, port: 0 };
  const problems: string[] = [];
  let killed = 0;
  try {
    if (http) await startServer(place, remote);
    for (const kill of kills) if (await drive(place, remote, kill, problems)) killed++;
    for (let drives = 0; drives < 4 && !atRest(await headOf(place)); drives++)
      await drive(place, remote, null, problems);
    const rest = await headOf(place);
    if (!atRest(rest)) problems.push(`stuck: ${rest?.status} ${rest?.reason}`);
    problems.push(...(await check(place, rest)));
    if ((rest?.unresolved.length ?? 0) > 0) await settled(place, remote, problems);
    return { problems, kills: killed, unknown: rest?.unresolved.length ?? 0 };
  } finally {
    remote.process?.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
}

async function startServer({ world }: Place, remote: Remote): Promise<void> {
  const child = spawn(process.execPath, [SERVER, world, String(remote.port)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [port] = (await once(child.stdout, 'data')) as [Buffer];
  remote.port = Number(String(port));
  remote.process = child;
}

/** One drive; true where something was killed while it went. */
async function drive(
  place: Place,
  remote: Remote,
  kill: EffectsKill | null,
  problems: string[],
  more: string[] = [],
): Promise<boolean> {
  const args = [WORKER, place.db, place.world, place.http ? String(remote.port) : 'stdio', ...more];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'exit');
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const killed = kill === null ? false : await strike(place, remote, kill, child);
  const [code, signal] = (await ended) as [number | null, string | null];
  // A server that died while the drive opened it is a plain failure to start, and the next drive goes on.
  const opening = kill !== null && kill.target !== 'runtime';
  if (signal !== 'SIGKILL' && code !== 0 && !opening)
    problems.push(`worker ended with ${code}: ${errors.slice(-1500)}`);
  return killed;
}

async function strike(
  place: Place,
  remote: Remote,
  { target, afterMs }: EffectsKill,
  child: ChildProcess,
): Promise<boolean> {
  await Promise.race([once(child.stdout as NodeJS.ReadableStream, 'data'), once(child, 'exit')]);
  await pause(afterMs);
  if (child.exitCode !== null) return false;
  const own = place.http ? [] : childrenOf(child.pid ?? 0);
  if (target !== 'server') child.kill('SIGKILL');
  if (target === 'runtime') return true;
  for (const pid of own) signalQuietly(pid);
  if (!place.http) return own.length > 0 || target === 'both';
  const server = remote.process;
  const gone = server === null ? Promise.resolve([]) : once(server, 'exit');
  server?.kill('SIGKILL');
  await gone;
  await pause(30);
  await startServer(place, remote);
  return true;
}

function signalQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return (
          readFileSync(`/proc/${pid}/stat`, 'utf8')
            .replace(/^.*\) /s, '')
            .split(' ')[1] === String(parent)
        );
      } catch {
        return false;
      }
    });
}

async function headOf({ db }: Place): Promise<RunHead | null> {
  if (!existsSync(db)) return null;
  const store = await openSqliteStore(db);
  const loaded = await store.load(RUN);
  await store.close();
  return loaded?.head ?? null;
}

/** At the end of the list; with unknown effects it then waits for a person. */
function atRest(head: RunHead | null): boolean {
  if (head?.status === 'finished') return true;
  return (
    head?.status === 'needs_attention' && head.unresolved.length > 0 && head.reason.startsWith('finished')
  );
}

/** A person looks at the world and says what happened; then the run must finish. */
async function settled(place: Place, remote: Remote, problems: string[]): Promise<void> {
  for (let drives = 0; drives < 3 && (await headOf(place))?.status !== 'finished'; drives++)
    await drive(place, remote, null, problems, ['settle']);
  const head = await headOf(place);
  if (head?.status !== 'finished')
    problems.push(`stuck after a person looked: ${head?.status} ${head?.reason}`);
}

type Finished = Extract<RunEvent, { readonly type: 'action.finished' }>;

/** No effect twice; none that the run does not know of; none that it believes in and that is not there. */
async function check({ db, world }: Place, head: RunHead | null): Promise<string[]> {
  const problems: string[] = [];
  const store = await openSqliteStore(db);
  const verified = await verifyRun(store, RUN);
  if (!verified.ok) problems.push(`verify: ${JSON.stringify(verified).slice(0, 500)}`);
  const last = new Map<string, Finished>();
  const asked = new Map<string, string>();
  for await (const event of store.events(RUN)) {
    if (event.type === 'step.accepted')
      asked.set(event.call, `${event.action.tool} ${String(event.action.args['n'])}`);
    if (event.type === 'action.finished' && event.effect) last.set(event.call, event);
  }
  await store.close();
  const counts = new Map(allEffects(world).map(({ tool, n, count }) => [`${tool} ${n}`, count]));
  const said = (item: string): string[] =>
    [...last].flatMap(([call, { status }]) => (asked.get(call) === item ? [status] : []));
  for (const [item, count] of counts) {
    if (count > 1) problems.push(`${item} happened ${count} times`);
    if (!said(item).some((status) => status !== 'error'))
      problems.push(`${item} happened in silence: ${said(item).join(', ') || 'never asked'}`);
  }
  for (const [call, { status }] of last)
    if (status === 'ok' && !counts.has(asked.get(call) ?? ''))
      problems.push(`${asked.get(call)} is believed and did not happen`);
  const open = [...last.values()].filter(({ status }) => status === 'unknown').length;
  if (open !== (head?.unresolved.length ?? 0))
    problems.push(`${open} unknown outcomes, ${head?.unresolved.length} kept`);
  const missing = Array.from({ length: ITEMS }, (_, index) => index + 1).filter(
    (n) => ![...asked.values()].some((item) => item.endsWith(` ${n}`)),
  );
  if (missing.length > 0) problems.push(`never asked for: ${missing.join(', ')}`);
  return problems;
}

/** Kills of every target, at times at which effects are under way. */
export function randomKills(random: () => number, count: number): EffectsKill[] {
  const targets = ['runtime', 'server', 'both'] as const;
  return Array.from({ length: count }, () => ({
    target: targets[Math.floor(random() * targets.length)] ?? 'both',
    afterMs: Math.round(random() * 200),
  }));
}
