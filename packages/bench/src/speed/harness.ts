/**
 * What the bench's harness adds to a step of the runtime: `harness.js T`. The same replies are played both ways. Prints one
 * JSON line: CPU milliseconds a step.
 */
import {
  createRuntime,
  createTokenCounter,
  type Model,
  type ModelReply,
  openSqliteStore,
} from '@skillstate/runtime';
import { createEnvironment, type EpisodeSpec } from '../env/create.ts';
import { createActTool } from '../harness/act.ts';
import { runEpisode } from '../harness/episode.ts';
import type { BenchModel } from '../harness/model.ts';
import { createReferenceModel } from '../harness/reference-model.ts';
import { runtimeSkill } from '../harness/skill.ts';
import { createArm } from '../strategy/create.ts';
import { median } from './measure.ts';

const horizon = Number(process.argv[2] ?? '1000');
const ROUNDS = 7;
const counter = createTokenCounter();
const { how } = await counter.count('');
const tokens = (text: string): number => counter.countNow(text).tokens;
const spec: EpisodeSpec = { environment: 'warehouse', seed: 1, horizon };
const arm = { id: 'state', strategy: 'state' } as const;

const replies: ModelReply[] = [];
const reference = createReferenceModel({ reasoning: 'none', faults: null, seed: 1 });
await harness({
  ...reference,
  async open(key) {
    const inner = await reference.open(key);
    return {
      ...inner,
      async ask(request, about) {
        const reply = await inner.ask(request, about);
        replies.push(reply);
        return reply;
      },
    };
  },
});

/** The recorded replies, which take no time. */
function recorded(): () => Promise<ModelReply> {
  let next = 0;
  return () => Promise.resolve(replies[next++] as ModelReply);
}

async function harness(model: BenchModel): Promise<void> {
  const request = { experiment: 'speed', arm, spec, repetition: 0, retries: 3 };
  const result = await runEpisode({ ...request, model, tokens, tokensBy: how });
  if (result.score.score !== 1) throw new Error(`the episode went wrong: ${result.reason}`);
}

function throughHarness(): Promise<void> {
  const ask = recorded();
  return harness({ ...reference, open: () => Promise.resolve({ ask, close: () => Promise.resolve() }) });
}

/** The same skill, tool, store and replies on the runtime alone. */
async function bare(): Promise<void> {
  const episode = createEnvironment(spec);
  const store = await openSqliteStore(':memory:', { durability: 'process' });
  const act = createActTool(
    episode,
    () => null,
    {},
    () => Promise.resolve(),
  );
  const model: Model = { name: 'reference', mode: 'text', dialect: 'merge', ask: recorded() };
  const { strategy, layout } = createArm(arm, { tokens });
  const skill = runtimeSkill(episode.skill, layout, 3);
  const runtime = createRuntime({ store, model, strategy, tools: [act] });
  const limits = { steps: horizon };
  const { steps } = await runtime.start(skill, { run: 'bare', input: episode.environment.event(0), limits });
  if (steps !== horizon) throw new Error(`the bare run took ${steps} steps`);
  await store.close();
}

async function cpuMs(play: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await play();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / horizon;
}

const [through, alone]: [number[], number[]] = [[], []];
for (let round = 0; round < ROUNDS; round++) {
  alone.push(await cpuMs(bare));
  through.push(await cpuMs(throughHarness));
}
process.stdout.write(JSON.stringify({ runtimeMs: median(alone), harnessMs: median(through) }));
