import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  folder,
  type Ground,
  newGround,
  NOTES,
  open,
  ROUGH,
  skillWith,
  stdio,
  until,
  using,
} from './fixtures/open.test.support.ts';
import { loadSdk, type Sdk } from './sdk.ts';

let ground: Ground;
beforeEach(() => {
  ground = newGround();
});
afterEach(() => ground.remove());

const notes = (tools = {}) => skillWith({ notes: stdio(NOTES, [], ground.env) }, tools);
const rough = (fault: string, era: 'legacy' | 'modern' = 'legacy', startMs = 20_000) =>
  skillWith({ rough: stdio(ROUGH, [fault, era], ground.env, startMs) });
const eras = ['legacy', 'modern'] as const;

test('tools carry their hints; what is not said is not safe to repeat', async () => {
  await using(notes(), async ({ tool }) => {
    expect(tool('echo')).toMatchObject({ readOnly: true, idempotent: true, destructive: false });
    expect(tool('append')).toMatchObject({ readOnly: false, idempotent: false, destructive: false });
    expect(tool('fail')).toMatchObject({ readOnly: false, idempotent: false, destructive: true });
    await Promise.resolve();
  });
});

test('P54: a flagged error is an error with its text; an unflagged one only by a declared rule', async () => {
  const declared = notes({ soft: { failure: 'text.contains(\'"status":"error"\')' } });
  await using(declared, async ({ call }) => {
    expect(await call('fail')).toMatchObject({ status: 'error', text: 'quota exceeded' });
    expect(await call('soft')).toMatchObject({ status: 'error' });
  });
  await using(notes(), async ({ call }) => expect((await call('soft')).status).toBe('ok'));
});

test('P54: a protocol error of the server is an error with its message and data', async () => {
  await using(rough('protocol-error'), async ({ call }) => {
    const result = await call('go');
    expect(result.status).toBe('error');
    expect(result.text).toContain('no such page');
    expect(result.text).toContain('{"page":9}');
  });
});

test('P55: every content kind of a real server arrives', async () => {
  await using(notes(), async ({ call }) => {
    const { text, structured, blobs = [] } = await call('content');
    expect(text).toContain('BODY');
    expect(structured).toEqual({ rows: [1, 2] });
    expect(blobs.map(({ name }) => name)).toEqual(['repo://b.bin', 'image 4', 'audio 5']);
  });
});

test.each(eras)('P55: kinds that the client library refuses are kept raw (%s protocol)', async (era) => {
  await using(rough('kinds', era), async ({ call }) => {
    const { status, text } = await call('go');
    expect(status).toBe('ok');
    for (const part of ['{"type":"hologram","depth":3}', '"bare"', '???', 'elapsed'])
      expect(text).toContain(part);
  });
});

test('P55: a result of an image alone is not empty', async () => {
  await using(rough('only-image'), async ({ call }) => {
    const { status, blobs } = await call('go');
    expect(status).toBe('ok');
    expect(blobs).toHaveLength(1);
  });
});

test.each(eras)(
  'P57: tools with odd schemas are usable or disabled one by one (%s protocol)',
  async (era) => {
    await using(rough('odd', era), async ({ toolset, call, log }) => {
      const names = toolset.specs.map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(['no-type', 'ok', 'tree']));
      expect(toolset.disabled.map(({ path }) => path)).toEqual(['/tools/bad', '/tools/text-schema']);
      expect(toolset.find('tree')?.inputSchema['$defs']).toBeDefined();
      expect(await call('tree', { root: { kids: [{ p: null }] } })).toMatchObject({
        status: 'ok',
        text: 'gone well',
      });
      expect(log.filter((line) => line.includes('without a name'))).toHaveLength(3);
    });
  },
);

test('P58: tools of all pages are known, and the cursor goes back unchanged', async () => {
  await using(rough('pages'), ({ source }) => {
    expect(source.tools.map(({ name }) => name)).toEqual(['a', 'b', 'save']);
    return Promise.resolve();
  });
});

test('P58: a list without end is refused, one that repeats itself ends', async () => {
  await expect(open(rough('endless'))).rejects.toThrow(/rough cannot be used.*(pagination|pages)/i);
  await using(rough('repeating'), ({ source }) => {
    expect(source.tools.map(({ name }) => name)).toEqual(['only']);
    return Promise.resolve();
  });
});

describe('P56: times', () => {
  test("an effect that misses its tool's own deadline is unknown, and the server is told to stop", async () => {
    await using(notes({ slow: { timeoutMs: 400 } }), async ({ call }) => {
      expect(await call('slow', { ms: 60_000, every: 20 })).toMatchObject({
        status: 'unknown',
        text: 'no answer after 400 ms',
      });
      await until(() => ground.effects().length > 0);
      expect(ground.effects()).toEqual(['{"slow":"cancelled"}']);
    });
  });

  test('progress keeps a call alive beyond progressMs, silence ends it', async () => {
    await using(notes({ slow: { progressMs: 2000 } }), async ({ call }) => {
      expect((await call('slow', { ms: 2600, every: 100 })).status).toBe('ok');
      const silent = await call('slow', { ms: 60_000, every: 0 });
      expect(silent.status).toBe('unknown');
      expect(silent.text).toContain('no progress for 2000 ms');
    });
  });

  test('a read that misses its deadline is an error; the late answer changes nothing and is told', async () => {
    const skill = skillWith({ rough: stdio(ROUGH, ['late']) }, { go: { readOnly: true, timeoutMs: 150 } });
    await using(skill, async ({ call, log }) => {
      expect((await call('go', { ms: 400 })).status).toBe('error');
      await until(() => log.some((line) => line.includes('unknown message ID')));
      expect((await call('go', { ms: 1 })).text).toBe('late');
    });
  });

  test('a cancelled run cancels its call', async () => {
    await using(notes(), async ({ call }) => {
      const cancel = new AbortController();
      setTimeout(() => cancel.abort(new Error('stopped by a person')), 200);
      expect(await call('slow', { ms: 60_000, every: 20 }, cancel.signal)).toMatchObject({
        status: 'unknown',
        text: 'stopped by a person',
      });
      await until(() => ground.effects().length > 0);
    });
  });
});

describe('P07, P23: text and numbers at the boundary', () => {
  test('P07: an answer with NaN in it is an error at once, with the place, and not silence', async () => {
    await using(rough('nan'), async ({ call }) => {
      const { status, text } = await call('go');
      expect(status).toBe('unknown');
      expect(text).toMatch(/cannot be read.*NaN/);
    });
  });

  test('P07: 1e400 is refused by path', async () => {
    await using(rough('huge-number'), async ({ call }) => {
      const { status, text, structured } = await call('go');
      expect(status).toBe('unknown');
      expect(text).toContain('/limit');
      expect(structured).toBeUndefined();
    });
  });

  test('P23: a lone surrogate in tool output becomes U+FFFD, a written-out one stays', async () => {
    await using(rough('surrogate'), async ({ call }) => {
      expect((await call('go')).text).toBe('price \ufffd end \\ud83d');
    });
  });
});

describe('P29: an effect that may have happened', () => {
  test('a server that dies in the call: unknown, with its last words; started again for the next call, which is not a repeat', async () => {
    await using(notes(), async ({ call, source, log }) => {
      const { status, text } = await call('die');
      expect(status).toBe('unknown');
      expect(text).toMatch(/exit code 3; standard error: out of luck/);
      expect((await call('append', { text: 'after' })).status).toBe('ok');
      expect(ground.effects().map((line) => Object.keys(JSON.parse(line) as object)[0])).toEqual([
        'die',
        'append',
      ]);
      expect(log.some((line) => line.includes('started again'))).toBe(true);
      expect((source.facts['servers'] as unknown[]).length).toBe(2);
    });
  });

  test('the idempotency key goes where the tool declares it, the same on a retry, another for another call', async () => {
    const tools = { append: { key: { in: 'meta', name: 'example.com/key' } } } as const;
    await using(notes(tools), async ({ raw }) => {
      for (const key of ['k1', 'k1', 'k2']) await raw('append', { key, args: { text: 'x' } });
      expect(ground.effects().map((line) => (JSON.parse(line) as { meta: string }).meta)).toEqual([
        'k1',
        'k1',
        'k2',
      ]);
    });
  });

  test('a key that cannot be sent over stdio is refused before anything runs', async () => {
    const tools = { append: { key: { in: 'header', name: 'Idempotency-Key' } } } as const;
    await expect(open(notes(tools))).rejects.toThrow(/append\/key: server notes is no HTTP server/);
  });
});

describe('servers that do not start', () => {
  test('one that dies: exit code and standard error are told, secrets in them are not', async () => {
    const skill = skillWith({ rough: stdio(ROUGH, ['dead']) });
    const failed = open(skill, { TOKEN: 'hunter22secret' });
    await expect(failed).rejects.toThrow(
      /MCP server rough cannot be used.*exit code 4.*cannot open the ledger: token \[secret:TOKEN\]/,
    );
  });

  test('one that hangs is given up after startMs', async () => {
    await expect(open(rough('silent', 'legacy', 1000))).rejects.toThrow(
      'MCP server rough cannot be used: no answer within 1000 ms',
    );
  });

  test('a missing command, a missing folder and a missing secret are named', async () => {
    await expect(open(skillWith({ x: { command: 'no-such-program-here' } }))).rejects.toThrow(
      'the command no-such-program-here was not found',
    );
    await expect(open(skillWith({ x: { command: 'node', cwd: 'nowhere' } }))).rejects.toThrow(
      `${join(folder, 'nowhere')} does not exist`,
    );
    const needy = skillWith({ x: stdio(NOTES, [], { TOKEN: 'Bearer ${secret:CMS_TOKEN}' }) });
    await expect(open(needy)).rejects.toThrow('/actions/servers/x/env/TOKEN needs the secret CMS_TOKEN');
  });

  test('where one of two fails, the other is ended too', async () => {
    const both = skillWith({
      good: stdio(NOTES, [], { ...ground.env, PIDFILE: 'x' }),
      rough: stdio(ROUGH, ['dead']),
    });
    await expect(open(both)).rejects.toThrow('MCP server rough');
  });

  test('the missing package is named with its install line', async () => {
    const gone = 'not-installed-here';
    const load = loadSdk(() => import(gone) as Promise<Sdk>);
    await expect(load).rejects.toThrow('npm install @modelcontextprotocol/client@2.4.0');
  });
});

describe('a server that asks in the middle of a call', () => {
  test('is told that nobody answers: an error, for the call is not complete', async () => {
    await using(rough('asks', 'modern'), async ({ call }) => {
      const { status, text } = await call('go');
      expect(status).toBe('error');
      expect(text).toContain('server rough asks for something in return');
    });
  });

  test('gets the answer of the host where there is one', async () => {
    const asked: unknown[] = [];
    const opened = await open(
      rough('asks', 'modern'),
      {},
      {
        ask: (question) => {
          asked.push(question);
          return Promise.resolve({ action: 'accept', content: { confirmed: true } });
        },
      },
    );
    const { text } = await opened.call('go');
    await opened.source.close();
    expect(JSON.parse(text)).toEqual({ action: 'accept', content: { confirmed: true } });
    expect(asked).toMatchObject([{ server: 'rough', message: 'Sure?', schema: { type: 'object' } }]);
  });
});

test('two calls that find their server dead start it once', async () => {
  await using(notes(), async ({ call, source }) => {
    await call('die');
    const results = await Promise.all([call('echo', { text: 'a' }), call('echo', { text: 'b' })]);
    expect(results.map(({ text }) => text)).toEqual(['a', 'b']);
    expect((source.facts['servers'] as unknown[]).length).toBe(2);
  });
});

test('noise on standard output does not end a run, and is told', async () => {
  await using(rough('noise'), async ({ call, log }) => {
    expect((await call('go')).text).toBe('gone well');
    expect(log.some((line) => line.includes('no message: Server listening'))).toBe(true);
    expect(log.some((line) => line.includes('{"level":"info"'))).toBe(true);
  });
});

test('a server that ends at the first question of the newer protocol is spoken to in the older one', async () => {
  await using(rough('exit-on-probe'), async ({ call }) => expect((await call('go')).text).toBe('gone well'));
});

test('a server that ends on the first start is started once more only where the protocol explains it', async () => {
  const once = join(ground.path, 'once');
  await using(skillWith({ rough: stdio(ROUGH, ['dead-once'], { ONCE: once }) }), async ({ call }) => {
    expect(existsSync(once)).toBe(true);
    expect((await call('go')).status).toBe('ok');
  });
});

test('a tool that is gone after a list change is an error, and nothing is sent', async () => {
  await using(notes(), async ({ call }) => {
    expect((await call('extra')).status).toBe('ok');
    await call('shrink');
    let result = await call('extra');
    for (let tries = 0; tries < 50 && !result.text.includes('no longer offers'); tries++)
      result = await call('extra');
    expect(result).toEqual({
      status: 'error',
      text: 'nothing was sent: server notes no longer offers extra',
    });
  });
});

test('a name that two servers offer is prefixed for both, other names are not', async () => {
  const skill = skillWith({
    one: stdio(ROUGH, ['pages']),
    two: stdio(ROUGH, ['pages']),
    three: stdio(ROUGH, ['odd']),
  });
  await using(skill, ({ source }) => {
    const names = source.tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['one.a', 'two.a', 'one.save', 'two.save', 'ok']));
    expect(names).not.toContain('a');
    return Promise.resolve();
  });
});

test('a server sees its declared environment with secrets filled in, and nothing of the host', async () => {
  process.env['HOST_ONLY_VALUE'] = 'not for servers';
  const skill = skillWith({ notes: stdio(NOTES, [], { TOKEN: 'Bearer ${secret:CMS}' }) });
  await using(
    skill,
    async ({ call }) => {
      const { env, keys } = JSON.parse((await call('whoami')).text) as { env: string; keys: string[] };
      expect(env).toBe('Bearer s3cr3t-value');
      expect(keys).not.toContain('HOST_ONLY_VALUE');
    },
    { CMS: 's3cr3t-value' },
  );
  delete process.env['HOST_ONLY_VALUE'];
});

test('after close nothing is sent and no server runs', async () => {
  const opened = await open(notes());
  const [server] = opened.source.facts['servers'] as unknown as { pid: number }[];
  await opened.source.close();
  expect(() => process.kill(server?.pid ?? 0, 0)).toThrow('ESRCH');
  expect((await opened.call('append', { text: 'late' })).text).toContain('nothing was sent');
  expect(ground.effects()).toEqual([]);
});

test('a skill without servers opens nothing and needs no package', async () => {
  const opened = await open(skillWith({}));
  expect(opened.source.tools).toEqual([]);
  expect(opened.source.facts).toEqual({});
});
