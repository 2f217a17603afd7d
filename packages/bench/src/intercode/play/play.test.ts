import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { emptyUsage, findSandbox, promptText } from '@skillstate/runtime';
import { describe, expect, test } from 'vitest';
import { dataPlaces } from '../../data/places.ts';
import type { BenchModel } from '../../harness/model.ts';
import { STRATEGY_NAMES } from '../../harness/result.ts';
import { summarise } from '../../outcome/summary.ts';
import { bubblewrapPort } from '../port.ts';
import { findScripts } from '../replay.ts';
import { type CtfData, loadIntercode } from '../tasks.ts';
import { ctfOutcome, runCtfBench, solutionOf } from './bench.ts';
import { type CtfOptions, playCtf } from './episode.ts';
import { ctfReport } from './report.ts';
import { type CtfAgent, latestOutput, scriptedCtfAgent } from './scripted.ts';

const place = dataPlaces().find((folder) => existsSync(join(folder, 'intercode', 'ic_ctf.json')));
const sandbox = await findSandbox();
const canPlay = place !== undefined && sandbox.available;
if (!canPlay)
  console.warn('InterCode on the runtime skipped: needs the vectors (SKILLSTATE_VECTORS) and a sandbox');

async function loaded(): Promise<CtfData> {
  const result = await loadIntercode(place ?? '');
  if (!result.ok) throw new Error(result.problem.hint);
  return result.data;
}

/** A task that has a script and needs nothing but its files. */
const TASK = 10;

async function play(model: BenchModel, other: Partial<CtfOptions> = {}) {
  return playCtf({
    data: await loaded(),
    task: TASK,
    trial: 0,
    mode: 'runtime',
    port: bubblewrapPort(),
    network: false,
    arm: { id: 'state', strategy: 'state' },
    steps: 10,
    retries: 1,
    model,
    tokens: (text) => Math.ceil(text.length / 4),
    tokensBy: 'estimated',
    ...other,
  });
}

/** An agent that gives these commands one after the other, then gives up; and the prompts that it saw. */
function commands(...list: readonly string[]) {
  const prompts: string[] = [];
  const model: BenchModel = {
    facts: { name: 'commands', mode: 'text', reasoning: null, faults: null },
    mode: 'text',
    dialect: 'merge',
    open: () =>
      Promise.resolve({
        close: () => Promise.resolve(),
        ask({ prompt }) {
          const action = list[prompts.length] ?? 'skip';
          prompts.push(promptText(prompt));
          const text = `\`\`\`json\n${JSON.stringify({ state_patch: {}, action })}\n\`\`\``;
          return Promise.resolve({
            ok: true,
            text,
            json: null,
            calls: 0,
            finish: 'stop',
            usage: emptyUsage(),
            retries: [],
          });
        },
      }),
  };
  return { model, prompts };
}

test('latestOutput reads the last observation alone', () => {
  expect(
    latestOutput('## Observation\n| old\n\n## Observation\nsource\n| picoCTF{a b}\n| [exit code 0]'),
  ).toBe('picoCTF{a b}');
  expect(latestOutput('Latest Observation:\nOutput: x{y}\n[exit code 0]')).toBe('x{y}');
});

describe.skipIf(!canPlay)('InterCode CTF on the runtime', () => {
  test('every solution script earns its flag through the whole loop; what cannot be played is listed with the reason', async () => {
    const data = await loaded();
    const scripts = await findScripts(data.root);
    const ids = scripts?.ids ?? [];
    const texts = new Map<number, string | null>();
    for (const id of ids) texts.set(id, await solutionOf(scripts?.folder ?? '', id));
    const bench = await runCtfBench({
      data,
      mode: 'runtime',
      port: bubblewrapPort(),
      network: false,
      tasks: [...ids, 9],
      arms: [{ id: 'state', strategy: 'state' }],
      trials: 1,
      steps: 10,
      retries: 1,
      parallel: 2,
      model: (task, arm) => scriptedCtfAgent('solution', texts.get(task) ?? null, arm.strategy),
      tokens: (text) => text.length,
      tokensBy: 'estimated',
    });
    expect(
      bench.results.filter(({ reward }) => reward !== 1).map(({ task, failure }) => ({ task, failure })),
    ).toEqual([]);
    expect(bench.results.length).toBeGreaterThanOrEqual(20);
    // Their tasks lack files and are not counted, but these scripts need only the query.
    for (const { task } of bench.unavailable.filter(({ why }) => why === 'assets')) {
      const other = await play(scriptedCtfAgent('solution', texts.get(task) ?? null, 'state'), { task });
      expect([task, other.reward, other.knownBad]).toEqual([task, 1, false]);
    }
    expect(bench.unavailable).toContainEqual(expect.objectContaining({ task: 9, why: 'network' }));
    expect(bench.floor.every(({ reward }) => reward === 0)).toBe(true);
    expect(summarise(bench.results.map(ctfOutcome))[0]).toMatchObject({ passRate: 1, confirmed: null });
    const text = JSON.stringify(ctfReport(bench));
    expect(text).toContain('NOT comparable');
    for (const id of ids) expect(text).not.toContain(data.gold(id));
  }, 60_000);

  test('every strategy plays InterCode, and mode original too', async () => {
    const script = await solutionOf(join(place ?? '', 'intercode', 'solutions'), TASK);
    for (const strategy of STRATEGY_NAMES) {
      const arm = { id: strategy, strategy, budget: 6_000 };
      expect([
        strategy,
        (await play(scriptedCtfAgent('solution', script, strategy), { arm })).reward,
      ]).toEqual([strategy, 1]);
    }
    const original = await play(scriptedCtfAgent('solution', script, 'state'), { mode: 'original' });
    expect(original).toMatchObject({ reward: 1, ended: 'found', mode: 'original' });
  });

  test('P80: agents that do nothing, submit a wrong flag, or only note one as found score 0', async () => {
    const of = (agent: CtfAgent) => play(scriptedCtfAgent(agent, null, 'state'));
    expect(await of('nothing')).toMatchObject({
      reward: 0,
      ended: 'skipped',
      failure: { who: 'agent', why: 'gave up' },
    });
    expect(await of('wrong')).toMatchObject({ reward: 0, failure: { who: 'agent' } });
    expect(await of('claimant')).toMatchObject({ reward: 0, failure: { who: 'agent' } });
  });

  test('no flag is in what an agent sees, wherever it looks', async () => {
    const data = await loaded();
    const look = commands(
      'env; mount; ps -ef',
      'ls -aR / 2>/dev/null | head -c 3000',
      'find / -name "*.sh" -o -name "ic_ctf*" 2>/dev/null | head -c 3000',
    );
    await play(look.model);
    expect(look.prompts.length).toBe(4);
    expect(look.prompts.join('\n')).not.toContain(data.gold(TASK));
    expect(look.prompts.join('\n')).not.toContain('ic_ctf.json');
  });

  test('P83: commands reach the shell exactly as the model wrote them', async () => {
    const look = commands(
      'echo "a  b" > f.txt; grep "a  b" f.txt; python3 -c "print(\'x\' + \\"y\\")"',
      'cat <<\'END\'\n$HOME "z"\nEND',
    );
    await play(look.model);
    expect(look.prompts[1]).toContain('| a  b\n| xy');
    expect(look.prompts[2]).toContain('| $HOME "z"');
  });

  test('P84: output that is not UTF-8 is shown escaped, counts as run, and can be read on by its handle', async () => {
    const look = commands(
      "printf 'a\\xff'; seq 1 3000",
      'read_output output-1 8000',
      'read_output nowhere 0',
    );
    const result = await play(look.model);
    expect(result.actions[0]).toMatchObject({ exitCode: 0 });
    expect(look.prompts[1]).toContain('a\\xff');
    expect(look.prompts[1]).toContain('output-1');
    expect(look.prompts[2]).toMatch(/\n\| 1[78]\d\d\n/);
    expect(look.prompts[3]).toContain('There is no output nowhere.');
  });

  test('P85: a bare submit is answered, a wrong flag is no end, and the directory is the shell’s', async () => {
    const look = commands('cd /tmp && cd ..', 'pwd', 'submit', 'submit two words', 'cd', 'echo still here');
    expect(await play(look.model)).toMatchObject({ reward: 0, ended: 'skipped' });
    expect(look.prompts[2]).toContain('| /\n');
    expect(look.prompts[3]).toContain('Nothing was submitted');
    expect(look.prompts[4]).toContain('incorrect');
    expect(look.prompts[6]).toContain('still here');
  });

  test('mode original cuts and labels outputs, goes on after a wrong flag, and ends where the original raises', async () => {
    const look = commands('seq 1 1000', 'true', 'submit picoCTF{no}', 'submit');
    const result = await play(look.model, { mode: 'original' });
    expect(look.prompts[1]).toContain('| Output: 1\n');
    expect(look.prompts[1]).not.toContain('| 300\n');
    expect(look.prompts[2]).toContain('No output');
    expect(look.prompts[3]).toContain('incorrect');
    expect(result).toMatchObject({ ended: 'raised', reward: 0, failure: { who: 'harness' } });
  });

  test('P82: too many steps and refused replies are the agent’s, an empty reply is the provider’s', async () => {
    const steps = commands(...Array.from({ length: 9 }, () => 'true'));
    expect(await play(steps.model, { steps: 3 })).toMatchObject({
      ended: 'steps',
      failure: { who: 'agent' },
    });
    const { model } = commands();
    const saying = (text: string): BenchModel => ({
      ...model,
      open: () =>
        Promise.resolve({
          close: () => Promise.resolve(),
          ask: () =>
            Promise.resolve({
              ok: true,
              text,
              json: null,
              calls: 0,
              finish: 'stop',
              usage: emptyUsage(),
              retries: [],
            }),
        }),
    });
    expect(await play(saying('I wonder.'))).toMatchObject({ ended: 'refused', failure: { who: 'agent' } });
    expect(await play(saying(''))).toMatchObject({ ended: 'refused', failure: { who: 'provider' } });
  });
});
