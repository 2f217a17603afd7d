import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  type Ground,
  newGround,
  open,
  skillWith,
  startWeb,
  until,
  using,
  type WebServer,
} from './fixtures/open.test.support.ts';

let ground: Ground;
const running: WebServer[] = [];
beforeEach(() => {
  ground = newGround();
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.end()));
  ground.remove();
});

async function web(env: Readonly<Record<string, string>> = {}, port = 0): Promise<WebServer> {
  const server = await startWeb({ ...ground.env, ...env }, port);
  running.push(server);
  return server;
}

test('tools over streamable HTTP: list, call, errors, content; headers carry filled-in secrets', async () => {
  const { url } = await web();
  const skill = skillWith({ notes: { url, headers: { authorization: 'Bearer ${secret:CMS}' } } });
  await using(
    skill,
    async ({ call, source }) => {
      expect(source.facts).toEqual({ servers: [] });
      expect(await call('echo', { text: 'hi' })).toEqual({ status: 'ok', text: 'hi' });
      expect((await call('fail')).status).toBe('error');
      expect((await call('content')).blobs).toHaveLength(3);
      expect(JSON.parse((await call('whoami')).text)).toMatchObject({ header: 'Bearer s3cr3t-value' });
    },
    { CMS: 's3cr3t-value' },
  );
});

test('P29: the idempotency key goes as a header or in _meta', async () => {
  const { url } = await web();
  const effects = () =>
    ground.effects().map((line) => JSON.parse(line) as { meta?: string; header?: string });
  await using(
    skillWith({ notes: { url } }, { append: { key: { in: 'header', name: 'Idempotency-Key' } } }),
    ({ raw }) => raw('append', { key: 'k1', args: { text: 'x' } }),
  );
  await using(
    skillWith({ notes: { url } }, { append: { key: { in: 'meta', name: 'example.com/key' } } }),
    ({ raw }) => raw('append', { key: 'k2', args: { text: 'x' } }),
  );
  expect(effects().map(({ header }) => header ?? null)).toEqual(['k1', null]);
  expect(effects()[1]?.meta).toBe('k2');
});

test('P56: at the deadline an effect is unknown and the server sees the call go', async () => {
  const { url } = await web();
  await using(skillWith({ notes: { url } }, { slow: { timeoutMs: 400 } }), async ({ call }) => {
    expect((await call('slow', { ms: 60_000, every: 20 })).status).toBe('unknown');
    await until(() => ground.effects().length > 0);
    expect(ground.effects()).toEqual(['{"slow":"cancelled"}']);
  });
});

test('P29: a server that dies in the call leaves an unknown effect; once it is back the next call works', async () => {
  const first = await web();
  await using(skillWith({ notes: { url: first.url } }), async ({ call }) => {
    const { status } = await call('die');
    expect(status).toBe('unknown');
    expect(ground.effects()).toEqual(['{"die":true}']);
    const down = await call('append', { text: 'x' });
    expect(down.status).toBe('error');
    expect(down.text).toContain('nothing was sent');
    await web({}, Number(new URL(first.url).port));
    expect(await call('append', { text: 'back' })).toMatchObject({ status: 'ok', text: 'appended' });
    expect(ground.effects()).toHaveLength(2);
  });
});

test('a refusal by HTTP status is an error that names Retry-After, and is not repeated', async () => {
  const { url } = await web({ BUSY: '1' });
  await using(skillWith({ notes: { url } }), async ({ call }) => {
    const { status, text } = await call('append', { text: 'x' });
    expect(status).toBe('error');
    expect(text).toMatch(/429.*Retry-After: 7/s);
    expect(ground.effects()).toEqual([]);
  });
});

test('a server that cannot be reached is named at the start', async () => {
  const { url, end } = await web();
  await end();
  await expect(open(skillWith({ notes: { url } }))).rejects.toThrow(
    /MCP server notes cannot be used: .*ECONNREFUSED/s,
  );
});
