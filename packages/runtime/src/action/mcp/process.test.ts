import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../types.ts';
import { folder, type Ground, newGround, NOTES, ROUGH, stdio, until } from './fixtures/open.test.support.ts';
import { describeProcess, endLeftoverServers, newMark } from './process.ts';

let ground: Ground;
const children: ChildProcess[] = [];
beforeEach(() => {
  ground = newGround();
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  ground.remove();
});

type Record = { pid: number; start: number; boot: string; mark: string; server: string };

function alive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
  } catch {
    return false;
  }
}

function withMark(mark: string): number[] {
  return readdirSync('/proc').flatMap((name) => {
    try {
      return readFileSync(`/proc/${name}/environ`, 'latin1').includes(mark) && alive(Number(name))
        ? [Number(name)]
        : [];
    } catch {
      return [];
    }
  });
}

/** A driver of its own process, so that it can be killed; gives the facts that it would have journalled. */
async function drive(
  server: ReturnType<typeof stdio>,
  tool = '',
): Promise<{ driver: ChildProcess; facts: JsonObject; records: Record[] }> {
  const driver = spawn(
    process.execPath,
    [join(folder, 'driver.test.process.ts'), JSON.stringify({ s: server }), tool],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  children.push(driver);
  const line = await new Promise<string>((resolve, reject) => {
    driver.once('exit', (code) => reject(new Error(`the driver ended with ${code}`)));
    driver.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString()));
  });
  const facts = JSON.parse(line) as JsonObject;
  return { driver, facts, records: facts['servers'] as unknown as Record[] };
}

async function kill(driver: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => driver.once('exit', resolve));
  driver.kill('SIGKILL');
  await gone;
}

describe.runIf(process.platform === 'linux')('servers of a killed driver', () => {
  test('one that does not end by itself is ended by its journalled facts, SIGTERM ignored or not', async () => {
    const { driver, facts, records } = await drive(stdio(ROUGH, ['stubborn']));
    const [record] = records;
    await kill(driver);
    expect(alive(record?.pid ?? 0)).toBe(true);
    await endLeftoverServers(facts);
    expect(alive(record?.pid ?? 0)).toBe(false);
  });

  test('what a server started itself is ended too: npx and shells stand before the real one', async () => {
    const inner = `exec < /dev/null; ${process.execPath} ${join(folder, ROUGH)} stubborn & sleep 300 & exec ${process.execPath} ${join(folder, ROUGH)} plain`;
    const { driver, facts, records } = await drive({
      command: 'bash',
      args: ['-c', `exec 3<&0; (${inner}) <&3 & exec ${process.execPath} ${join(folder, ROUGH)} stubborn`],
    });
    const mark = records[0]?.mark ?? '-';
    expect(withMark(mark).length).toBeGreaterThan(1);
    await kill(driver);
    await endLeftoverServers(facts);
    expect(withMark(mark)).toEqual([]);
  });

  test('a server started again after the facts were journalled is ended too, before it finishes its write', async () => {
    const { driver, facts, records } = await drive(stdio(NOTES, [], ground.env), 'restart');
    await until(() => withMark(records[0]?.mark ?? '-').some((pid) => pid !== records[0]?.pid));
    await kill(driver);
    await endLeftoverServers(facts);
    expect(withMark(records[0]?.mark ?? '-')).toEqual([]);
    expect(ground.effects().filter((line) => line.includes('done'))).toEqual([]);
  });

  test('another process that has the pid by now is left alone; so are facts of another boot and broken facts', async () => {
    const other = spawn('sleep', ['60']);
    children.push(other);
    const pid = other.pid ?? 0;
    const record = describeProcess('s', pid, newMark());
    expect(record?.pid).toBe(pid);
    const facts = [
      { ...record, start: (record?.start ?? 0) - 1 },
      { ...record, boot: 'another' },
      { ...record, pid: '1' },
      { pid },
      null,
      'x',
    ];
    await endLeftoverServers({ servers: facts } as unknown as JsonObject);
    await endLeftoverServers({ servers: 'none' });
    await endLeftoverServers({});
    expect(alive(pid)).toBe(true);
    await endLeftoverServers({ servers: [record] } as unknown as JsonObject);
    expect(alive(pid)).toBe(false);
  });
});
