import { findSandbox } from '@skillstate/runtime';
import { Command, Option } from 'commander';
import { dataPlaces } from '../data/places.ts';
import type { BenchModel } from '../harness/model.ts';
import type { ArmSpec } from '../harness/result.ts';
import { dockerPort, findDocker } from '../intercode/docker.ts';
import type { CtfMode } from '../intercode/episode.ts';
import { type CtfBench, ctfOutcome, runCtfBench, solutionOf } from '../intercode/play/bench.ts';
import { ctfReport } from '../intercode/play/report.ts';
import type { CtfResult } from '../intercode/play/result.ts';
import { CTF_AGENTS, scriptedCtfAgent } from '../intercode/play/scripted.ts';
import { bubblewrapPort, type SandboxPort } from '../intercode/port.ts';
import { findScripts, replayIntercodeVectors, replaySolutions } from '../intercode/replay.ts';
import { solutionsText, vectorsText } from '../intercode/replay-text.ts';
import {
  type CtfData,
  findIntercodeData,
  intercodeCheckoutCommand,
  loadIntercode,
} from '../intercode/tasks.ts';
import { summarise } from '../outcome/summary.ts';
import { runCommand } from './run-command.ts';
import type { Measure } from '../strategy/budget.ts';
import {
  addPublicOptions,
  armsFor,
  guardedModel,
  openKeeper,
  printReport,
  type PublicFlags,
  showProgress,
  tokenMeasure,
} from './public.ts';

type Flags = PublicFlags & {
  readonly vectors?: string;
  readonly solutions?: string;
  readonly mode: CtfMode;
  readonly sandbox: 'bubblewrap' | 'docker';
  readonly image?: string;
  readonly network?: boolean;
};

/** The original's script stops after this many turns. */
const ORIGINAL_TURNS = 10;

/** `skillstate bench intercode …`. Resolves with the exit code: 1 where something differs. */
export async function intercodeCommand(args: readonly string[]): Promise<number> {
  let exit = 0;
  const program = new Command('skillstate bench intercode')
    .description('InterCode CTF: replay recorded results, or play with a model')
    .option(
      '--solutions <path>',
      'run the scripts ID.sh of this folder in the sandbox and score what they print',
    )
    .option('--vectors <path>', 'replay the vectors in this folder in mode `original`')
    .option('--data <path>', 'the data: a folder with ic_ctf.json and task_assets, or an InterCode checkout')
    .addOption(
      new Option('--mode <name>', 'not comparable with each other')
        .choices(['runtime', 'original'])
        .default('runtime'),
    )
    .addOption(new Option('--sandbox <name>').choices(['bubblewrap', 'docker']).default('bubblewrap'))
    .option('--image <name>', 'Docker image; by default the one that the original repository builds')
    .option('--network', 'let commands reach the network, and play the tasks that need it');
  addPublicOptions(program, `a scripted agent: ${CTF_AGENTS.join(', ')}`, ORIGINAL_TURNS);
  program.action(async (flags: Flags) => {
    const { solutions, vectors, model } = flags;
    if (solutions === undefined && vectors === undefined && model === undefined)
      throw new Error('say what to do: --solutions PATH, --vectors PATH, or --model NAME');
    const data = dataFolder(flags.data);
    if (vectors !== undefined) exit = Math.max(exit, await replayVectors(data, vectors, flags));
    if (solutions !== undefined && model === undefined)
      exit = Math.max(exit, await replayScripts(data, solutions, flags));
    if (model !== undefined) await play(data, model, flags);
  });
  const parsed = await runCommand(program, args);
  return parsed === 0 ? exit : parsed;
}

function dataFolder(named: string | undefined): string {
  const places = dataPlaces(named);
  const found = findIntercodeData(places);
  if (found !== null) return found;
  throw new Error(
    `no InterCode data (ic_ctf.json) in ${places.join(', ')}. Name its folder with --data; to get it: ${intercodeCheckoutCommand}`,
  );
}

/** The sandbox, or an error that says what to install. */
async function openPort({ sandbox, image }: Flags): Promise<SandboxPort> {
  if (sandbox === 'docker') {
    const found = await findDocker();
    if (!found.available) throw new Error(found.reason);
    return dockerPort(image === undefined ? {} : { image });
  }
  const found = await findSandbox();
  if (!found.available) throw new Error(`${found.reason}. Install it: ${found.installLine}`);
  return bubblewrapPort();
}

async function replayScripts(data: string, path: string, flags: Flags): Promise<number> {
  const onProgress = (id: number, score: 0 | 1): void => {
    if (process.stderr.isTTY) process.stderr.write(`solution ${id}: ${score}\n`);
  };
  const replayed = await replaySolutions(data, { port: await openPort(flags), solutions: path, onProgress });
  if (!replayed.ok) throw new Error(`${replayed.problem.path}: ${replayed.problem.hint}`);
  const { report } = replayed;
  process.stdout.write(`${flags.json === true ? JSON.stringify(report, null, 2) : solutionsText(report)}\n`);
  return report.differences.length === 0 && report.agree > 0 ? 0 : 1;
}

async function replayVectors(data: string, path: string, { json }: Flags): Promise<number> {
  const replayed = await replayIntercodeVectors(data, path);
  if (!replayed.ok) throw new Error(`${replayed.problem.path}: ${replayed.problem.hint}`);
  const { files } = replayed;
  process.stdout.write(`${json === true ? JSON.stringify(files, null, 2) : vectorsText(files)}\n`);
  return Object.values(files).every(({ total, agree }) => total === agree) ? 0 : 1;
}

async function play(folder: string, name: string, flags: Flags): Promise<void> {
  const loaded = await loadIntercode(folder);
  if (!loaded.ok) throw new Error(`${loaded.problem.path}: ${loaded.problem.hint}`);
  const { mode, steps, retries, trials, parallel } = flags;
  const measure = await tokenMeasure();
  const port = await openPort(flags);
  const players = await playersOf(loaded.data, name, flags, measure.tokens);
  const keeper = await openKeeper<CtfResult>(flags.out);
  const bench = await runCtfBench({
    data: loaded.data,
    mode,
    port,
    network: flags.network === true,
    tasks: players.tasks,
    arms: armsFor(flags),
    trials,
    steps,
    retries,
    parallel,
    model: players.model,
    ...measure,
    known: keeper.known,
    onResult: keeper.onResult,
    onProgress: showProgress,
  });
  const blocks = ctfReport(bench);
  await keeper.finish('InterCode CTF', blocks);
  printReport(flags.json, figures(bench), blocks);
}

function figures({ results, floor, played, unavailable, stopped }: CtfBench) {
  const [floorArm] = summarise(floor.map(ctfOutcome));
  return { played, unavailable, floor: floorArm ?? null, arms: summarise(results.map(ctfOutcome)), stopped };
}

type Players = {
  /** The tasks that it can be asked to play; undefined: all. */
  readonly tasks: readonly number[] | undefined;
  model(task: number, arm: ArmSpec): BenchModel;
};

/** A named model, or a scripted agent; `solution` plays the tasks that have a script in `--solutions`, or beside the data. */
async function playersOf(data: CtfData, name: string, flags: Flags, tokens: Measure): Promise<Players> {
  const { tasks } = flags;
  const agent = CTF_AGENTS.find((known) => known === name);
  if (agent === undefined) {
    const model = await guardedModel(name, flags, tokens);
    return { tasks, model: () => model };
  }
  if (agent !== 'solution') return { tasks, model: (_, arm) => scriptedCtfAgent(agent, null, arm.strategy) };
  const path = flags.solutions ?? data.root;
  const found = await findScripts(path);
  if (found === null)
    throw new Error(`no solution scripts ID.sh in ${path}; name their folder with --solutions`);
  const scripts = new Map<number, string | null>();
  for (const id of found.ids) scripts.set(id, await solutionOf(found.folder, id));
  return {
    tasks: found.ids.filter((id) => tasks === undefined || tasks.includes(id)),
    model: (task, arm) => scriptedCtfAgent(agent, scripts.get(task) ?? null, arm.strategy),
  };
}
