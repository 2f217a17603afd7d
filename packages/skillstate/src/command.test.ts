import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../../..');
const BIN = join(ROOT, 'packages/skillstate/bin/skillstate.js');
const folder = mkdtempSync(join(tmpdir(), 'skillstate-command-'));
const db = join(folder, 'runs.db');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function skillstate(...args: string[]): { exit: number | null; out: string; err: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, '--db', db, ...args], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  return { exit: status, out: stdout, err: stderr };
}

const json = (text: string): Record<string, unknown> => JSON.parse(text) as Record<string, unknown>;

/** A model that does what its task says, by what stands in its prompt. */
const MODEL = `export default (prompt) => {
  const state = JSON.parse(/## State\\n\`\`\`json\\n(.*)\\n/.exec(prompt)[1]);
  const say = (patch, tool, args = {}) => '\`\`\`json\\n' + JSON.stringify({ state_patch: patch, action: { tool, args } }) + '\\n\`\`\`';
  if (state.task === '') return say({ task: /\\| (.*)/.exec(prompt.slice(prompt.indexOf('## Observation')))[1], open: [{ id: 'one', status: 'open' }] }, 'wait', { reason: 'for a go' });
  if (state.progress === 'not started') return say({ progress: 'sending' }, 'send_mail', { to: 'ana' });
  if (!/(status: ok|go on)/.test(prompt.slice(prompt.indexOf('## Observation')))) return say({ progress: 'stuck', open: [{ id: 'one', status: 'done' }] }, 'finish', { summary: 'not sent' });
  return say({ progress: 'sent', open: [{ id: 'one', status: 'done' }] }, 'finish', { summary: 'sent' });
};
`;

const TOOLS = `export const tools = [{
  name: 'send_mail', description: 'Sends.', inputSchema: { type: 'object', properties: { to: { type: 'string' } }, required: ['to'], additionalProperties: false },
  outputSchema: null, readOnly: false, idempotent: false, destructive: true, timeoutMs: 1000, declaration: {},
  run: async () => ({ status: 'ok', text: 'sent' }),
}];
`;

beforeAll(() => {
  writeFileSync(join(folder, 'model.mjs'), MODEL);
  writeFileSync(join(folder, 'tools.mjs'), TOOLS);
});

const run = (id: string, ...more: string[]): ReturnType<typeof skillstate> =>
  skillstate(
    'run',
    join(folder, 'my-skill'),
    '--run',
    id,
    '--model',
    `script:${join(folder, 'model.mjs')}`,
    '--tools',
    join(folder, 'tools.mjs'),
    '--input',
    'mail ana',
    ...more,
  );

describe('a skill from nothing to a finished run', () => {
  test('init scaffolds a skill that check accepts, and never overwrites one', () => {
    expect(skillstate('init', join(folder, 'my-skill')).exit).toBe(0);
    const state = join(folder, 'my-skill/SKILL.state.yaml');
    writeFileSync(
      state,
      readFileSync(state, 'utf8').replace(
        'servers: {}',
        'functions: [send_mail]\napprovals: {tools: [send_mail]}',
      ),
    );
    expect(skillstate('check', join(folder, 'my-skill'), '--tools', join(folder, 'tools.mjs'))).toMatchObject(
      { exit: 0 },
    );
    const again = skillstate('init', join(folder, 'my-skill'));
    expect([again.exit, /already/.test(again.err)]).toEqual([1, true]);
  });

  test('check prints the largest prompt by part, and finds what is wrong with a state file', () => {
    const { exit, out } = skillstate(
      'check',
      join(folder, 'my-skill'),
      '--json',
      '--tools',
      join(folder, 'tools.mjs'),
    );
    expect([exit, (json(out)['prompt'] as Record<string, number>)['total']]).toEqual([0, expect.any(Number)]);
    writeFileSync(join(folder, 'state.json'), '{"task": 7}');
    const bad = skillstate('check', join(folder, 'my-skill'), join(folder, 'state.json'));
    expect([bad.exit, /schema\.type\s+\/task/.test(bad.out)]).toEqual([1, true]);
  });

  test('run stops with exit code 2 where it waits, and shows steps as it goes', () => {
    const { exit, out, err } = run('r');
    expect(exit).toBe(2);
    expect(out).toContain('waiting');
    expect(err).toMatch(/1 {2}wait .*prompt +\d+ B/);
  });

  test('send and resume lead to the call that waits for approval; a wrong hash changes nothing', () => {
    expect(skillstate('send', 'r', 'go on').exit).toBe(0);
    const waiting = skillstate('resume', 'r');
    expect([waiting.exit, /approve r --hash/.test(waiting.out)]).toEqual([2, true]);
    skillstate('approve', 'r', '--hash', '00000000', '--who', 'ana');
    expect(json(skillstate('show', 'r', '--json').out)['status']).toBe('waiting');
  });

  test('an approval lets exactly that call run, and the run finishes with exit code 0', () => {
    const hash =
      /--hash (\w+)/.exec(String(json(skillstate('show', 'r', '--json').out)['reason']))?.[1] ?? '';
    expect(skillstate('approve', 'r', '--hash', hash, '--who', 'ana', '--why', 'she asked').exit).toBe(0);
    const done = skillstate('resume', 'r', '--json');
    expect([done.exit, json(done.out)['status'], json(done.out)['reason']]).toEqual([0, 'finished', 'sent']);
  });
});

describe('a finished run explains itself', () => {
  test('runs, show, show --step and log tell what happened, with event numbers', () => {
    expect(skillstate('runs').out).toMatch(/r +my-skill +finished/);
    expect(skillstate('show', 'r').out).toMatch(/send_mail: ok × 1 \(events \d+\)/);
    expect(skillstate('show', 'r', '--step', '2').out).toContain('send_mail {"to":"ana"}');
    const log = skillstate('log', 'r', '--json').out.trim().split('\n').map(json);
    expect(log.map((event) => event['seq'])).toEqual(log.map((_, index) => index + 1));
    const approvals = skillstate('log', 'r', '--type', 'approval.given', '--json').out;
    expect(json(approvals)).toMatchObject({ who: 'ana', why: 'she asked' });
    expect(skillstate('log', 'r', '--tool', 'send_mail').out).toContain('action.finished');
  });

  test('prompt --step prints the bytes of that step, diff what changed between two', () => {
    const prompt = skillstate('prompt', 'r', '--step', '1').out;
    expect(prompt).toContain('| mail ana');
    expect(Buffer.byteLength(prompt)).toBe(
      json(skillstate('log', 'r', '--type', 'step.accepted', '--json').out.split('\n')[0] ?? '')[
        'promptBytes'
      ],
    );
    expect(skillstate('diff', 'r', '1', '2').out).toContain('+ /progress = "sending"');
  });

  test('verify proves the log, also against a head hash kept elsewhere', () => {
    const verified = skillstate('verify', 'r', '--json');
    const { hash } = json(verified.out)['head'] as { hash: string };
    expect(verified.exit).toBe(0);
    expect(skillstate('verify', 'r', '--head', hash).exit).toBe(0);
    expect(skillstate('verify', 'r', '--head', 'f'.repeat(64)).exit).toBe(1);
  });

  test('export writes state and events, fork branches, prune removes', () => {
    expect(skillstate('export', 'r', join(folder, 'out')).exit).toBe(0);
    expect(existsSync(join(folder, 'out/audit/events.jsonl'))).toBe(true);
    expect(json(readFileSync(join(folder, 'out/state.json'), 'utf8'))['task']).toBe('mail ana');
    expect(skillstate('fork', 'r', '1', '--as', 'forked', '--json').out).toContain('"forked"');
    expect(skillstate('runs').out).toContain('forked');
    expect(skillstate('prune', 'r').exit).toBe(0);
    expect(skillstate('prune', 'r', '--all').exit).toBe(0);
    expect(skillstate('show', 'r').exit).toBe(1);
  });
});

describe('people reach a run', () => {
  test('set changes a field, pause and cancel end the driving, an ended run takes nothing more', () => {
    run('p');
    expect(skillstate('set', 'p', '{"notes": "by hand"}', '--who', 'bo').exit).toBe(0);
    expect((json(skillstate('show', 'p', '--json').out)['state'] as Record<string, unknown>)['notes']).toBe(
      'by hand',
    );
    expect(skillstate('set', 'p', '{"nope": 1}').exit).not.toBe(null);
    expect(skillstate('cancel', 'p', '--why', 'no longer').exit).toBe(0);
    expect(skillstate('resume', 'p').exit).toBe(1);
    const late = skillstate('send', 'p', 'hello?');
    expect([late.exit, /cancelled/.test(late.err)]).toEqual([1, true]);
  });

  test('deny makes the call an error that the model sees', () => {
    run('d');
    skillstate('send', 'd', 'go');
    skillstate('resume', 'd');
    const hash =
      /--hash (\w+)/.exec(String(json(skillstate('show', 'd', '--json').out)['reason']))?.[1] ?? '';
    expect(skillstate('deny', 'd', '--hash', hash, '--who', 'ana', '--why', 'too early').exit).toBe(0);
    expect(json(skillstate('resume', 'd', '--json').out)['reason']).toBe('not sent');
  });

  test('settle needs an answer, and a call that is open', () => {
    run('s');
    expect(skillstate('settle', 's', 'c1').err).toContain('--happened');
    expect(skillstate('settle', 's', 'c9', '--happened').exit).not.toBe(null);
  });
});

describe('misuse is said and ends with exit code 1', () => {
  test.each([
    ['an unknown verb', ['frobnicate'], /unknown command/],
    ['an unknown option', ['runs', '--frobnicate'], /unknown option/],
    ['no such run', ['show', 'nobody'], /no run nobody/],
    ['no such step', ['show', 's', '--step', '99'], /no step 99/],
    ['no model', ['run', 'examples/02-notes/collect-tasks'], /--model/],
    [
      'no such provider',
      ['run', 'examples/02-notes/collect-tasks', '--model', 'nobody:x'],
      /no model provider/,
    ],
    ['no skill', ['check', 'docs'], /SKILL\.md|skill/],
    ['a bad limit', ['resume', 's', '--limit', 'steps=none'], /--limit/],
    ['a patch that is no JSON', ['set', 's', '{'], /no JSON/],
  ])('%s', (_, args, message) => {
    const { exit, out, err } = skillstate(...args);
    expect(`${out}${err}`).toMatch(message);
    expect(exit).toBe(1);
  });

  test('--version and --help work', () => {
    const version = spawnSync(process.execPath, [BIN, '--version'], { encoding: 'utf8' });
    expect(version.stdout.trim()).toBe('0.1.0');
    expect(skillstate('--help').out).toContain('resume');
  });
});
