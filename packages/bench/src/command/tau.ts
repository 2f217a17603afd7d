import { Command, Option } from 'commander';
import { dataPlaces } from '../data/places.ts';
import type { BenchModel } from '../harness/model.ts';
import { summarise } from '../outcome/summary.ts';
import type { Block } from '../report/blocks.ts';
import { runCommand } from './run-command.ts';
import type { Measure } from '../strategy/budget.ts';
import { runTauBench, type TauBench, type TauBenchOptions, tauOutcome } from '../tau/play/bench.ts';
import { goldFacts, tauReport } from '../tau/play/report.ts';
import type { TauResult } from '../tau/play/result.ts';
import { SCRIPTED_AGENTS, scriptedAgent, scriptedAnswers } from '../tau/play/scripted.ts';
import { modelUsers } from '../tau/play/user-model.ts';
import { scriptedUsers, USER_STRATEGIES, type UserSource, type UserStrategy } from '../tau/play/user.ts';
import { replayText } from '../tau/replay-text.ts';
import { replayVectors } from '../tau/replay.ts';
import {
  type DomainName,
  findTauData,
  goldReport,
  loadTau,
  originalStepLimit,
  type Split,
  type TauDomain,
  type TauTask,
} from '../tau/tau.ts';
import {
  addPublicOptions,
  armsFor,
  guardedModel,
  namedModel,
  openKeeper,
  printReport,
  type PublicFlags,
  showProgress,
  tokenMeasure,
} from './public.ts';

type Flags = PublicFlags & {
  readonly vectors?: string;
  readonly gold?: boolean;
  readonly domain: 'retail' | 'airline' | 'both';
  readonly split: Split;
  readonly user?: string;
  readonly userStrategy: Exclude<UserStrategy, 'scripted'>;
};

/** `skillstate bench tau …`. Resolves with the exit code: 1 where a vector differs. */
export async function tauCommand(args: readonly string[]): Promise<number> {
  let exit = 0;
  const program = new Command('skillstate bench tau')
    .description('τ-bench: replay recorded results, replay the ground truth, or play with a model')
    .option('--vectors <path>', 'replay the vectors in this folder (or file) and count what agrees')
    .option('--gold', 'replay the ground truth and list what is wrong with it')
    .option('--data <path>', 'the data: a folder of vectors with its data, or a τ-bench checkout')
    .addOption(new Option('--domain <name>').choices(['retail', 'airline', 'both']).default('both'))
    .addOption(new Option('--split <name>').choices(['test', 'dev', 'train']).default('test'))
    .option('--user <name>', 'the model that plays the user; the agent’s by default')
    .addOption(new Option('--user-strategy <name>').choices([...USER_STRATEGIES]).default('llm'));
  addPublicOptions(program, `a scripted agent: ${SCRIPTED_AGENTS.join(', ')}`, originalStepLimit);
  program.action(async (flags: Flags) => {
    if (flags.vectors !== undefined) exit = replay(flags.vectors, flags);
    else if (flags.gold === true) replayGolds(flags);
    else if (flags.model !== undefined) await play(flags, flags.model);
    else throw new Error('say what to do: --vectors PATH, --gold, or --model NAME');
  });
  const parsed = await runCommand(program, args);
  return parsed === 0 ? exit : parsed;
}

function replay(vectors: string, { data, json }: Flags): number {
  const report = replayVectors(vectors, data === undefined ? {} : { data });
  process.stdout.write(`${json === true ? JSON.stringify(report, null, 2) : replayText(report)}\n`);
  return report.differ === 0 && report.total > 0 ? 0 : 1;
}

function domainsOf({ data, domain, split }: Flags): TauDomain[] {
  const names: DomainName[] = domain === 'both' ? ['retail', 'airline'] : [domain];
  const places = dataPlaces(data);
  const loaded = names.map((name) => loadTau(findTauData(places, name), name));
  const found = loaded.filter(({ tasks }) => tasks.has(split));
  if (found.length === 0) throw new Error(`${names.join(' and ')} have no ${split} tasks`);
  return found;
}

function replayGolds(flags: Flags): void {
  const reports = domainsOf(flags).map((domain) => goldReport(domain, flags.split));
  const blocks = reports.flatMap((gold): Block[] => [
    { kind: 'heading', level: 2, text: `τ-bench ${gold.domain}, ${gold.split}: revision ${gold.revision}` },
    { kind: 'list', items: goldFacts(gold) },
    { kind: 'list', items: gold.rows.flatMap(errorLines) },
  ]);
  printReport(flags.json, reports, blocks);
}

function errorLines({ index, errors }: ReturnType<typeof goldReport>['rows'][number]): string[] {
  return errors.map(({ i, name, result }) => `task ${index}, action ${i}: ${name}: ${result.slice(0, 200)}`);
}

async function play(flags: Flags, name: string): Promise<void> {
  const domains = domainsOf(flags);
  const measure = await tokenMeasure();
  const players = await playersOf(flags, name, measure.tokens);
  const keeper = await openKeeper<TauResult>(flags.out);
  const benches: TauBench[] = [];
  const { split, trials, steps, retries, parallel } = flags;
  for (const domain of domains) {
    const bench = await runTauBench({
      domain,
      split,
      trials,
      steps,
      retries,
      parallel,
      ...measure,
      tasks: tasksOf(domain, flags),
      arms: armsFor(flags),
      model: (task, arm) => players.model(domain, task, arm),
      user: players.user,
      known: keeper.known,
      onResult: keeper.onResult,
      onProgress: showProgress,
    });
    benches.push(bench);
  }
  const blocks = benches.flatMap(tauReport);
  await keeper.finish('τ-bench', blocks);
  printReport(flags.json, benches.map(figures), blocks);
}

function figures({ domain, split, revision, gold, results, floor, stopped }: TauBench) {
  const { withErrors, bad } = gold;
  const arms = summarise(results.map(tauOutcome));
  const [floorArm] = summarise(floor.map(tauOutcome));
  return { domain, split, revision, gold: { withErrors, bad }, floor: floorArm ?? null, arms, stopped };
}

function tasksOf(domain: TauDomain, { split, tasks }: Flags): TauTask[] {
  const all = domain.tasks.get(split) ?? [];
  return tasks === undefined ? [...all] : all.filter(({ index }) => tasks.includes(index));
}

type Players = {
  model(domain: TauDomain, ...about: Parameters<TauBenchOptions['model']>): BenchModel;
  readonly user: UserSource;
};

/** The agent and the user: both scripted, or both models. A scripted agent can also meet a model that plays the user. */
async function playersOf(flags: Flags, name: string, tokens: Measure): Promise<Players> {
  const scripted = SCRIPTED_AGENTS.find((agent) => agent === name);
  const userName = flags.user ?? (scripted === undefined ? name : undefined);
  const user =
    userName === undefined
      ? scriptedUsers(scriptedAnswers)
      : modelUsers(await namedModel(userName, { mode: 'text' }), flags.userStrategy);
  if (scripted !== undefined)
    return { user, model: (domain, task, arm) => scriptedAgent(scripted, domain, task, arm.strategy) };
  const model = await guardedModel(name, flags, tokens);
  return { user, model: () => model };
}
