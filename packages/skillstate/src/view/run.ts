import { reportRun, type RunEvent, type RunReport, type Store, type Usage } from '@skillstate/runtime';
import { clean, ended, paint, plural } from '../output.ts';
import { driverLine } from './driver.ts';
import { actionText } from './live.ts';

/** A run for people: where it is, and separately what was executed, claimed and confirmed (R13), with event numbers. */
export async function runLines(store: Store, run: string): Promise<string[]> {
  const report = await reportRun(store, run);
  const events: RunEvent[] = [];
  for await (const event of store.events(run, {
    types: ['action.finished', 'confirmed', 'unconfirmed', 'approval.asked'],
  }))
    events.push(event);
  const all = await store.runs().catch(() => []);
  const summary = all.find(({ head }) => head.run === run);
  const lines = [
    `${paint('bold', clean(report.run))}  ${report.status}  step ${report.steps}`,
    report.reason === '' ? '' : `  ${clean(report.reason)}`,
    ended(report.status) || summary === undefined ? '' : `  ${driverLine(summary, Date.now())}`,
    `  ${usageText(report)}`,
    `  head event ${report.seq}  ${report.hash}`,
    '',
    ...section('executed', executed(events)),
    ...section('confirmed by a read-back', confirmed(events, report.confirmed)),
    ...section(
      'outcome unknown',
      report.unresolved.map((intent) => `${intent.call} ${actionText(intent.action)} (step ${intent.step})`),
    ),
    ...(report.unconfirmed.length === 0 ? [] : section('written, but not confirmed', report.unconfirmed)),
    ...section('claimed by the model (the state)', JSON.stringify(report.state, null, 2).split('\n')),
  ];
  return lines.filter((line, index) => line !== '' || index === 5);
}

const COUNTED = {
  provider: 'as the provider counts',
  counted: 'as a tokenizer counts',
  none: 'not counted',
} as const;

function usageText({ usage, costUsd }: RunReport): string {
  const { inputTokens, cacheReadTokens, outputTokens, source } = usage;
  const whole = (count: number): string => count.toLocaleString('en-US');
  const tokens = `${whole(inputTokens)} tokens in (${whole(cacheReadTokens)} cached), ${whole(outputTokens)} out, ${COUNTED[source]}${unreported(usage)}`;
  return costUsd === 0 ? `${tokens}; no cost known` : `${tokens}; ${costUsd.toFixed(4)} USD`;
}

/** Calls that were cut off used more than what is known. */
function unreported({ unreported: calls = 0 }: Usage): string {
  return calls === 0 ? '' : `, and what ${plural(calls, 'cut-off call')} used besides`;
}

function section(title: string, lines: readonly string[]): string[] {
  const shown = lines.length > 40 ? [...lines.slice(0, 40), `… ${lines.length - 40} more (--json)`] : lines;
  return [
    `${paint('bold', title)}${lines.length === 0 ? ': nothing' : ''}`,
    ...shown.map((line) => `  ${line}`),
  ];
}

/** Effects only, counted by tool and status. */
function executed(events: readonly RunEvent[]): string[] {
  const groups = new Map<string, number[]>();
  for (const event of events) {
    if (event.type !== 'action.finished' || !event.effect) continue;
    const key = `${event.tool}: ${event.status}`;
    groups.set(key, [...(groups.get(key) ?? []), event.seq]);
  }
  return [...groups].map(
    ([key, seqs]) =>
      `${key} × ${seqs.length} (events ${seqs.slice(0, 8).join(', ')}${seqs.length > 8 ? ', …' : ''})`,
  );
}

function confirmed(events: readonly RunEvent[], holding: Readonly<Record<string, number>>): string[] {
  const still = new Set(Object.values(holding));
  const lines: string[] = [];
  for (const event of events) {
    if (event.type !== 'confirmed' && event.type !== 'unconfirmed') continue;
    const what = `${event.name} ${JSON.stringify(event.subject)} (event ${event.seq})`;
    if (event.type === 'confirmed')
      lines.push(still.has(event.seq) ? what : `${what}, cleared by a later write`);
    else lines.push(`not: ${what}: ${event.issues[0]?.hint ?? ''}`);
  }
  return lines;
}
