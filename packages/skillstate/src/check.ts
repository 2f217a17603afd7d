import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import {
  checkState,
  compileContract,
  createTokenCounter,
  describeProvider,
  type Issue,
  type Json,
  type JsonObject,
  loadSkill,
  offeredTools,
  parseJson,
  type Result,
  type Skill,
  worstCasePrompt,
} from '@skillstate/runtime';
import { connectorsFor, readTools } from './context.ts';
import { table } from './view/table.ts';

export type CheckReport = {
  readonly ok: boolean;
  readonly issues: readonly Issue[];
  readonly warnings: readonly Issue[];
  readonly lines: readonly string[];
  readonly prompt?: Readonly<Record<string, number>>;
};

type Flags = { readonly tools?: string; readonly connect?: boolean };

/** Everything that can be known about a skill before it runs. Naming problems, lenient when loading, are errors here. */
export async function checkSkill(folder: string, flags: Flags): Promise<CheckReport> {
  const loaded = await loadSkill(resolve(folder));
  if (!loaded.ok) return { ok: false, issues: loaded.issues, warnings: [], lines: [] };
  const { skill, warnings } = loaded.value;
  const connectors = flags.connect === true ? connectorsFor(resolve(folder)) : [];
  const offered = await offeredTools({ tools: await readTools(flags.tools, 'check'), connectors }, skill);
  const missing =
    flags.connect === true
      ? offered.disabled
      : offered.disabled.filter((issue) => issue.code !== 'action.missing_tool');
  const unreadable = offered.confirmations.filter(
    (issue) => flags.connect === true || issue.code !== 'skill.confirmation_tool',
  );
  const issues = [...warnings, ...missing, ...unreadable];
  const worst = worstCasePrompt(skill, offered.specs, {
    mode: 'tool',
    dialect: skill.dialect === 'operations' ? 'operations' : 'merge',
  });
  const lines = [
    `${skill.name}  version ${skill.version}  digest ${skill.digest.slice(0, 12)}`,
    '',
    await sizes(worst, flags.connect === true || Object.keys(skill.actions.servers).length === 0),
    '',
    providers(skill),
    '',
  ];
  return { ok: issues.length === 0, issues, warnings: unforeseen(skill), lines, prompt: worst };
}

/** Worst case by part, in bytes and (by tokenizer, of text as dense as prompts are) in tokens. */
async function sizes(worst: Readonly<Record<string, number>>, complete: boolean): Promise<string> {
  const counter = createTokenCounter();
  const { tokens } = await counter.count(
    '{"shelf_17":"item_42","status":"open"} Store item_42 shelf_17\n'.repeat(16),
  );
  const bytesPerToken =
    ('{"shelf_17":"item_42","status":"open"} Store item_42 shelf_17\n'.length * 16) / tokens;
  const rows = Object.entries(worst).map(([part, bytes]) => [part, bytes, Math.ceil(bytes / bytesPerToken)]);
  const note = complete ? '' : '\n(without the tools of its servers: --connect counts them)';
  return `largest prompt this skill can ever have\n${table(['part', 'bytes', 'tokens, about'], rows)}${note}`;
}

function providers(skill: Skill): string {
  const asked = (['openai', 'anthropic', 'google', 'compatible'] as const).map((provider) =>
    describeProvider({ provider, dialect: skill.dialect }),
  );
  const rows = asked.map(({ provider, mode, dialect }) => [provider, mode, dialect]);
  const whys = Map.groupBy(asked, ({ why }) => why.join('; '));
  const reasons = [...whys].map(
    ([why, same]) => `  ${same.map(({ provider }) => provider).join(', ')}: ${why}`,
  );
  return ['how each provider is asked', table(['provider', 'mode', 'dialect'], rows), ...reasons].join('\n');
}

/** A fact whose use nobody foresaw needs somewhere to go (limits of the paper, section 7). */
function unforeseen(skill: Skill): Issue[] {
  const properties = (skill.state['properties'] ?? {}) as Readonly<Record<string, JsonObject>>;
  const free = Object.entries(properties).some(
    ([name, field]) => /note|fact|finding|memo|remark/i.test(name) && field['x-owner'] !== 'runtime',
  );
  if (free || skill.actions.recall) return [];
  const hint =
    'an unforeseen fact has nowhere to go: add a bounded `notes` field, or set actions.recall: true';
  return [{ code: 'skill.no_notes', path: '/state', hint }];
}

/** The validator in front of a state file that a scheduled job can call before it reads the file. */
export async function checkStateFile(folder: string, file: string): Promise<CheckReport> {
  const loaded = await loadSkill(resolve(folder));
  if (!loaded.ok) return { ok: false, issues: loaded.issues, warnings: [], lines: [] };
  const parsed = await readJson(file);
  const issues = parsed.ok
    ? checkState(compileContract(loaded.value.skill.state), parsed.value)
    : parsed.issues;
  return {
    ok: issues.length === 0,
    issues,
    warnings: [],
    lines: [`${file} against ${loaded.value.skill.name}`],
  };
}

async function readJson(file: string): Promise<Result<Json>> {
  try {
    return parseJson(await readFile(file, 'utf8'));
  } catch (error) {
    const { code = String(error) } = error as NodeJS.ErrnoException;
    return {
      ok: false,
      issues: [{ code: 'store.missing', path: '', hint: `${file} cannot be read: ${code}` }],
    };
  }
}
