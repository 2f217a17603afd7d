import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import {
  createRuntime,
  type DriveOptions,
  type JsonObject,
  type Limits,
  mcpConnector,
  endLeftoverServers,
  filesConnector,
  type RunReport,
  type RuntimePorts,
  shellConnector,
  type Store,
} from '@skillstate/runtime';
import { readSecrets, readSkill, readTools, withStore } from '../context.ts';
import { priceFor, readModel } from '../models.ts';
import { exitFor, type Outcome, paint, print, printJson } from '../output.ts';
import { createLiveView } from '../view/live.ts';

type Flags = {
  readonly db: string;
  readonly model?: string;
  readonly tools?: string;
  readonly secret: readonly string[];
  readonly limit: readonly string[];
  readonly stay: string;
  readonly zone?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly durability: 'full' | 'process';
  readonly unsafeShell?: boolean;
  readonly input?: string;
  readonly run?: string;
  readonly skill?: string;
  readonly acceptSkillChange?: boolean;
};

/** What `resume` needs to go on without being told again; kept in the run's facts. No secret values. */
type Invocation = {
  readonly model: string;
  readonly skill: string;
  readonly tools: string | null;
  readonly secrets: readonly string[];
};

export function addDriving(program: Command, outcome: Outcome): void {
  driving(program.command('run <skill>').description('start a run of a skill folder and drive it'))
    .option('--input <text>', 'the first message to the run')
    .option('--run <id>', 'name of the run; made up by default')
    .action(async (skill: string, _options: unknown, command: Command) => {
      const flags = command.optsWithGlobals<Flags>();
      await withStore(flags.db, (store) => startRun(store, skill, flags, outcome), flags.durability);
    });
  driving(
    program.command('resume <run>').description('go on with a run: after a kill, a wait, a limit or a stop'),
  )
    .option('--skill <folder>', 'the skill as it is now; by default the one the run is bound to')
    .option('--accept-skill-change', 'go on although the skill or its tools changed')
    .action(async (run: string, _options: unknown, command: Command) => {
      const flags = command.optsWithGlobals<Flags>();
      await withStore(flags.db, (store) => resumeRun(store, run, flags, outcome), flags.durability);
    });
}

function driving(command: Command): Command {
  const list = (value: string, before: string[]): string[] => [...before, value];
  return command
    .option(
      '-m, --model <name>',
      'openai:…, anthropic:…, google:…, ollama:…, compatible:NAME@URL, script:FILE',
    )
    .option('--tools <module>', 'module that exports the function tools the skill names')
    .option('--secret <name[=VARIABLE]>', 'a secret for ${secret:NAME}, taken from the environment', list, [])
    .option(
      '--limit <name=value>',
      'steps, rejections, tokens, costUsd or wallMs, in place of the skill’s',
      list,
      [],
    )
    .option('--stay <seconds>', 'how long a waiting run keeps this process', '0')
    .option('--zone <name>', 'IANA time zone in which prompts show times', 'UTC')
    .option(
      '--durability <level>',
      'full: safe against power loss; process: against a killed process',
      'full',
    )
    .option('--unsafe-shell', 'run shell commands unconfined where no sandbox is available')
    .option('--quiet', 'no live view')
    .option('--json', 'print the report as JSON');
}

async function startRun(store: Store, folder: string, flags: Flags, outcome: Outcome): Promise<void> {
  const skill = await readSkill(folder);
  const run = flags.run ?? `${skill.name}-${randomUUID().slice(0, 8)}`;
  const model = flags.model ?? process.env['SKILLSTATE_MODEL'];
  if (model === undefined)
    throw new Error(
      'no model: say --model NAME or set SKILLSTATE_MODEL (skillstate run --help lists the forms)',
    );
  const invocation: Invocation = {
    model,
    skill: resolve(folder),
    tools: flags.tools === undefined ? null : resolve(flags.tools),
    secrets: flags.secret,
  };
  const ports = await portsFor(store, invocation, run, flags);
  const options = { ...driveOptions(flags), run, facts: { invocation: invocation as unknown as JsonObject } };
  const report = await createRuntime(ports).start(
    skill,
    flags.input === undefined ? options : { ...options, input: flags.input },
  );
  finish(report, flags, outcome);
}

async function resumeRun(store: Store, run: string, flags: Flags, outcome: Outcome): Promise<void> {
  const loaded = await store.load(run);
  const known = loaded?.head.facts['invocation'] as Partial<Invocation> | undefined;
  const model = flags.model ?? known?.model ?? process.env['SKILLSTATE_MODEL'];
  if (model === undefined) throw new Error(`no model is known for ${run}: say --model NAME`);
  const invocation: Invocation = {
    model,
    skill: flags.skill === undefined ? (known?.skill ?? '') : resolve(flags.skill),
    tools: flags.tools === undefined ? (known?.tools ?? null) : resolve(flags.tools),
    secrets: flags.secret.length > 0 ? flags.secret : (known?.secrets ?? []),
  };
  const ports = await portsFor(store, invocation, run, flags);
  const skill = flags.skill === undefined ? {} : { skill: await readSkill(flags.skill) };
  const options = { ...driveOptions(flags), ...skill, acceptSkillChange: flags.acceptSkillChange === true };
  finish(await createRuntime(ports).resume(run, options), flags, outcome);
}

async function portsFor(
  store: Store,
  invocation: Invocation,
  run: string,
  flags: Flags,
): Promise<RuntimePorts> {
  const live = createLiveView(flags.json === true || flags.quiet === true ? null : process.stderr);
  const base = invocation.skill;
  return {
    store,
    model: await readModel(invocation.model),
    tools: await readTools(invocation.tools ?? undefined, run),
    connectors: [
      mcpConnector({ base }),
      filesConnector({ base }),
      shellConnector({ base, unsafe: flags.unsafeShell === true }),
    ],
    leftovers: [endLeftoverServers],
    secrets: readSecrets(invocation.secrets),
    zone: flags.zone ?? 'UTC',
    price: priceFor(invocation.model),
    listen: live,
  };
}

const LIMITS = ['steps', 'rejections', 'tokens', 'costUsd', 'wallMs', 'noProgress'];

function driveOptions(flags: Flags): DriveOptions {
  const limits: Record<string, number> = {};
  for (const spec of flags.limit) {
    const [name = '', text = ''] = spec.split('=', 2);
    const value = Number(text);
    if (!LIMITS.includes(name) || text === '' || !(value > 0))
      throw new Error(`--limit ${spec}: write NAME=NUMBER with one of ${LIMITS.join(', ')}`);
    limits[name] = value;
  }
  const stay = Number(flags.stay);
  if (!(stay >= 0)) throw new Error(`--stay ${flags.stay}: write a number of seconds`);
  return { limits: limits as Partial<Limits>, stayMs: stay * 1000 };
}

function finish(report: RunReport, flags: Flags, outcome: Outcome): void {
  outcome.exit = exitFor(report.status);
  if (flags.json) return printJson(report);
  const colour = report.status === 'finished' ? 'green' : 'yellow';
  print(`${paint(colour, report.status)}  ${report.run}  after ${report.steps} steps: ${report.reason}`);
  print(`skillstate show ${report.run}      what it did      skillstate verify ${report.run}      prove it`);
}
