import { resolve } from 'node:path';
import {
  createTokenCounter,
  offeredTools,
  parseModelName,
  type ProbeReport,
  probeModel,
} from '@skillstate/runtime';
import { readSkill, readTools } from './context.ts';
import { issueLine } from './output.ts';
import { table } from './view/table.ts';

type Flags = { readonly model: string; readonly tools?: string };

/** The modes and dialects that a model can be asked in. */
const FORMS = [
  { mode: 'text', dialect: 'merge' },
  { mode: 'tool', dialect: 'merge' },
  { mode: 'tool', dialect: 'operations' },
  { mode: 'structured', dialect: 'merge' },
  { mode: 'structured', dialect: 'operations' },
] as const;

/** Asks the model a fixed set of situations in every form it can be asked in (skillstate probe). */
export async function probe(
  folder: string,
  flags: Flags,
): Promise<{ reports: readonly ProbeReport[]; skipped: readonly string[]; lines: readonly string[] }> {
  const skill = await readSkill(resolve(folder));
  const { specs } = await offeredTools({ tools: await readTools(flags.tools, 'probe') }, skill);
  const reports: ProbeReport[] = [];
  const skipped: string[] = [];
  const forms = flags.model.startsWith('script:') ? FORMS.slice(0, 1) : FORMS;
  for (const form of forms) {
    const model = await parseModelName(flags.model, { ...form, count: createTokenCounter().exact });
    if (!model.ok) {
      skipped.push(`${form.mode}, ${form.dialect}: ${model.issues.map(issueLine).join('; ')}`);
      continue;
    }
    process.stderr.write(`asking ${flags.model} in ${form.mode} mode, ${form.dialect} dialect …\n`);
    reports.push(await probeModel(model.value, skill, { tools: specs }));
  }
  return { reports, skipped, lines: [summary(reports), ...skipped.map((line) => `not asked in ${line}`)] };
}

function summary(reports: readonly ProbeReport[]): string {
  const rate = (share: number | null): string => (share === null ? 'n/a' : `${Math.round(share * 100)}%`);
  const rows = reports.map(({ mode, dialect, outcomes, firstTry, repair, right }) => {
    const failed = outcomes.filter((outcome) => outcome.verdict === 'failed').length;
    return [mode, dialect, rate(firstTry), rate(repair), rate(right), failed];
  });
  return table(['mode', 'dialect', 'accepted at first', 'repaired in one', 'right', 'no reply'], rows);
}
