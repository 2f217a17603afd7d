import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { userInfo } from 'node:os';
import { type Command, Option } from 'commander';
import {
  createRuntime,
  type DriveOptions,
  type JsonObject,
  type Limits,
  endLeftoverServers,
  type ReplyMode,
  type RunReport,
  type RuntimePorts,
  type Skill,
  type Store,
} from '@skillstate/runtime';
import { connectorsFor, needRun, readSecrets, readSkill, readTools, withStore } from '../context.ts';
import { priceFor, readModel } from '../models.ts';
import { clean, EXIT, exitFor, listed, type Outcome, paint, plural, print, printJson } from '../output.ts';
import { createLiveView, type LiveView } from '../view/live.ts';

type Flags = {
  readonly db: string;
  readonly model?: string;
  readonly mode?: ReplyMode | 'auto';
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
  readonly mode?: ReplyMode | 'auto';
  /** Where a relative `script:` path starts. */
  readonly cwd?: string;
};

export function addDriving(program: Command, outcome: Outcome): void {
  driving(program.command('run <skill>').description('start a run of a skill folder and drive it'))
    .option('--input <text>', 'the first message to the run')
    .option('--run <id>', 'name of the run; made up by default')
    .action(async (skill: string, _options: unknown, command: Command) => {
      const flags = command.optsWithGlobals<Flags>();
      const { durability } = flags;
      await withStore(flags.db, (store) => startRun(store, skill, flags, outcome), {
        durability,
        create: true,
      });
    });
  driving(
    program.command('resume <run>').description('go on with a run: after a kill, a wait, a limit or a stop'),
  )
    .option('--skill <folder>', 'the skill as it is now; by default the one the run is bound to')
    .option('--accept-skill-change', 'go on although the skill or its tools changed')
    .action(async (run: string, _options: unknown, command: Command) => {
      const flags = command.optsWithGlobals<Flags>();
      const { durability } = flags;
      await withStore(flags.db, (store) => resumeRun(store, run, flags, outcome), { durability });
    });
}

function driving(command: Command): Command {
  return command
    .option(
      '-m, --model <name>',
      'openai:…, anthropic:…, google:…, ollama:…, compatible:NAME@URL, script:FILE',
    )
    .option('--tools <module>', 'module that exports the function tools the skill names')
    .option(
      '--secret <name[=VARIABLE]>',
      'a secret for ${secret:NAME}, taken from the environment',
      listed,
      [],
    )
    .option(
      '--limit <name=value>',
      'steps, rejections, tokens, costUsd or wallMs, in place of the skill’s',
      listed,
      [],
    )
    .addOption(
      new Option('--mode <mode>', 'how the model replies').choices(['auto', 'text', 'tool', 'structured']),
    )
    .option('--stay <seconds>', 'how long a waiting run keeps this process', '0')
    .option('--zone <name>', 'IANA time zone in which prompts show times', 'UTC')
    .addOption(
      new Option('--durability <level>', 'full: safe against power loss; process: against a killed process')
        .choices(['full', 'process'])
        .default('full'),
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
    cwd: process.cwd(),
    ...(flags.mode && { mode: flags.mode }),
  };
  const { ports, live } = await portsFor(store, invocation, skill.dialect, run, flags);
  const facts = { invocation: invocation as unknown as JsonObject };
  const options = {
    ...driveOptions(flags),
    run,
    facts,
    ...(flags.input !== undefined && { input: flags.input }),
  };
  const report = await interruptible(ports, run, () => createRuntime(ports).start(skill, options));
  live.end();
  finish(report, flags, outcome);
}

async function resumeRun(store: Store, run: string, flags: Flags, outcome: Outcome): Promise<void> {
  const { head } = await needRun(store, run);
  const known = (head.facts['invocation'] ?? {}) as Partial<Invocation>;
  const model = flags.model ?? known.model ?? process.env['SKILLSTATE_MODEL'];
  if (model === undefined) throw new Error(`no model is known for ${run}: say --model NAME`);
  const mode = flags.mode ?? known.mode;
  const invocation: Invocation = {
    model,
    skill: flags.skill === undefined ? (known.skill ?? '') : resolve(flags.skill),
    tools: flags.tools === undefined ? (known.tools ?? null) : resolve(flags.tools),
    secrets: flags.secret.length > 0 ? flags.secret : (known.secrets ?? []),
    cwd: flags.model === undefined ? (known.cwd ?? process.cwd()) : process.cwd(),
    ...(mode && { mode }),
  };
  const skill = flags.skill === undefined ? null : await readSkill(flags.skill);
  const stored = (await store.document(head.skill)) as Skill | null;
  const { ports, live } = await portsFor(store, invocation, (skill ?? stored)?.dialect ?? 'auto', run, flags);
  const acceptSkillChange = flags.acceptSkillChange === true;
  const options = { ...driveOptions(flags), acceptSkillChange, ...(skill && { skill }) };
  const report = await interruptible(ports, run, () => createRuntime(ports).resume(run, options));
  live.end();
  finish(report, flags, outcome);
}

/** The first Ctrl-C asks for a pause between two steps; the second ends the process as any kill does: nothing is lost. */
async function interruptible<T>(ports: RuntimePorts, run: string, drive: () => Promise<T>): Promise<T> {
  const pause = (): void => {
    const said = (): void =>
      void process.stderr.write('\npauses after this step; Ctrl-C again stops at once\n');
    createRuntime(ports)
      .order(run, 'pause', userInfo().username, { why: 'Ctrl-C' })
      .then(said, () => process.exit(130));
  };
  process.once('SIGINT', pause);
  try {
    return await drive();
  } finally {
    process.removeListener('SIGINT', pause);
  }
}

async function portsFor(
  store: Store,
  invocation: Invocation,
  dialect: Skill['dialect'],
  run: string,
  flags: Flags,
): Promise<{ ports: RuntimePorts; live: LiveView }> {
  const { model, mode = 'auto', cwd = process.cwd() } = invocation;
  const price = priceFor(model);
  const live = createLiveView(flags.json === true || flags.quiet === true ? null : process.stderr, price);
  const ports: RuntimePorts = {
    store,
    model: await readModel(model, { mode, dialect, cwd }),
    tools: await readTools(invocation.tools ?? undefined, run),
    connectors: connectorsFor(invocation.skill, flags.unsafeShell === true),
    leftovers: [endLeftoverServers],
    secrets: readSecrets(invocation.secrets),
    zone: zoneOf(flags),
    price: price ?? (() => 0),
    listen: live.listen,
  };
  return { ports, live };
}

function zoneOf({ zone = 'UTC' }: Flags): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone;
  } catch {
    throw new Error(`--zone ${zone}: write an IANA time zone such as Europe/Berlin`);
  }
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
  const { letGo } = report;
  outcome.exit = letGo?.code === 'run.driven' ? EXIT.elsewhere : exitFor(report.status);
  if (flags.json) return printJson(report);
  if (letGo !== null) return print(`${paint('yellow', 'let go')}  ${letGo.hint} [${letGo.code}]`);
  const colour = report.status === 'finished' ? 'green' : 'yellow';
  const { run, steps, reason } = report;
  print(`${paint(colour, report.status)}  ${run}  after ${plural(steps, 'step')}: ${clean(reason)}`);
  print(`what it did: skillstate show ${run}    prove it: skillstate verify ${run}`);
}
