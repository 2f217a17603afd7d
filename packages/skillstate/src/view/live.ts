import { styleText } from 'node:util';
import type { Progress, RunEvent, Usage } from '@skillstate/runtime';
import { clean, plural } from '../output.ts';

/** The stream that a live view writes to; `isTTY` decides about colours and about the line that is overwritten. */
type Screen = { readonly isTTY?: boolean; write(text: string): unknown };

export type LiveView = {
  readonly listen: (progress: Progress) => void;
  /** Writes the totals of this drive. */
  readonly end: () => void;
};

/**
 * One line a step while a run goes: step, action, prompt in bytes and tokens, state size; rejections and costs as they
 * come, totals at the end. Written line by line, so it reads the same in a terminal, a pipe and a CI log; a terminal also
 * sees what is being waited for. `price` is null where no price is known. A `null` screen shows nothing.
 */
export function createLiveView(screen: Screen | null, price: ((usage: Usage) => number) | null): LiveView {
  if (screen === null) return { listen: () => undefined, end: () => undefined };
  const sums = { steps: 0, rejected: 0, failed: 0, input: 0, cached: 0, output: 0, usd: 0 };
  const erase = screen.isTTY ? '\r\u001b[K' : '';
  const dim = (text: string): string => (screen.isTTY ? styleText('dim', text) : text);
  const show = (line: string): void => void screen.write(`${erase}${line}\n`);
  const now = (text: string): void => void (screen.isTTY && screen.write(`${erase}${dim(text)}`));
  let waits = '';
  const add = (usage: Usage): number => {
    sums.input += usage.inputTokens;
    sums.cached += usage.cacheReadTokens;
    sums.output += usage.outputTokens;
    const usd = price?.(usage) ?? 0;
    sums.usd += usd;
    return usd;
  };
  const onEvent = (event: RunEvent): void => {
    if (event.type === 'step.accepted') sums.steps++;
    if (event.type === 'step.rejected') sums.rejected++;
    if (event.type === 'model.failed') sums.failed++;
    const usd = 'usage' in event ? add(event.usage) : 0;
    const line = eventLine(event);
    if (line === null) return;
    const cost = usd === 0 ? '' : `  ${usd.toFixed(4)} USD`;
    show(event.type === 'step.accepted' ? `${line}${cost}` : dim(`${line}${cost}`));
  };
  const listen = (progress: Progress): void => {
    if (progress.kind === 'event') onEvent(progress.event);
    else if (progress.kind === 'disabled') show(`warning: ${progress.issue.hint}`);
    else if (progress.kind === 'asking')
      now(`${pad(progress.step, 4)}  asks the model, prompt ${progress.promptBytes} B …`);
    else if (progress.kind === 'acting') now(`${pad(progress.step, 4)}  runs ${clean(progress.tool)} …`);
    else {
      const line = waitLine(progress.until);
      if (line !== waits) show(dim(line));
      waits = line;
    }
  };
  return {
    listen,
    end: () => void (sums.input + sums.steps + sums.failed > 0 && show(dim(totals(sums, price !== null)))),
  };
}

function waitLine(until: number | null): string {
  const end = until === null ? '' : ` or ${new Date(until).toISOString()}`;
  return `      stays and waits for a message${end}`;
}

type Sums = Record<'steps' | 'rejected' | 'failed' | 'input' | 'cached' | 'output' | 'usd', number>;

function totals(sums: Sums, priced: boolean): string {
  const whole = (count: number): string => count.toLocaleString('en-US');
  const parts = [
    plural(sums.steps, 'step'),
    `${whole(sums.rejected)} rejected`,
    ...(sums.failed === 0 ? [] : [`${plural(sums.failed, 'model call')} failed`]),
    `${whole(sums.input)} tokens in (${whole(sums.cached)} cached)`,
    `${whole(sums.output)} out`,
    priced ? `${sums.usd.toFixed(4)} USD` : 'no price known',
  ];
  return `      ${parts.join(', ')}`;
}

/** What a person wants to see of an event; null for those that say nothing new. */
export function eventLine(event: RunEvent): string | null {
  const line = describe(event);
  return line === null ? null : clean(line);
}

function describe(event: RunEvent): string | null {
  switch (event.type) {
    case 'step.accepted': {
      const { inputTokens } = event.usage;
      const tokens = inputTokens === 0 ? '' : ` ${pad(inputTokens, 6)} tokens`;
      return `${pad(event.step, 4)}  ${fit(actionText(event.action), 44)}  prompt ${pad(event.promptBytes, 6)} B${tokens}  state ${pad(event.stateBytes, 6)} B`;
    }
    case 'step.rejected': {
      const [first] = event.issues;
      return `${pad(event.step, 4)}  rejected (${event.attempt}): ${first?.code ?? ''} ${first?.path ?? ''} ${fit(first?.hint ?? '', 80).trimEnd()}`;
    }
    case 'action.finished':
      return event.status === 'ok' ? null : `      ${event.tool}: ${event.status}`;
    case 'model.retried':
      return `      model: ${plural(event.retries.length, 'retry', 'retries')} (${event.retries.at(-1)?.code ?? ''})`;
    case 'model.failed':
      return `      model: ${event.issue.hint}`;
    case 'confirmed':
    case 'unconfirmed':
      return `      ${event.type}: ${event.name} ${JSON.stringify(event.subject)}`;
    case 'approval.asked':
      return `      waits for approval of ${actionText(event.action)} (hash ${event.actionHash.slice(0, 12)})`;
    case 'approval.given':
    case 'approval.denied':
      return `      ${event.type === 'approval.given' ? 'approved' : 'denied'} by ${event.who}`;
    case 'message.received':
      return `      message from ${event.from}`;
    case 'state.set':
      return `      ${event.who}: ${changedText(event)}`;
    case 'skill.changed':
      return `      skill changed: ${event.changes.join('; ')}`;
    case 'ledger':
      return `      ledger: ${event.decision} (event ${event.source})`;
    case 'run.resumed':
      return `      resumed${event.note === '' ? '' : `: ${event.note}`}`;
    case 'run.stopped':
    case 'run.started':
      return null;
    default:
      return event satisfies never;
  }
}

/** An order that was refused is recorded with no change and the reason. */
function changedText({ delta, why }: RunEvent & { readonly type: 'state.set' }): string {
  if (delta.length === 0 && why.startsWith('refused: ')) return why;
  const what = delta.map((change) => ('set' in change ? change.set : change.delete)).join(', ');
  return `set ${what === '' ? 'nothing new' : what}${why === '' ? '' : `: ${why}`}`;
}

export function actionText(action: { readonly tool: string; readonly args: object }): string {
  const values = Object.entries(action.args);
  if (values.length === 1 && values[0]?.[0] === 'command') return String(values[0][1]);
  return values.length === 0 ? action.tool : `${action.tool} ${JSON.stringify(action.args)}`;
}

function pad(value: number, width: number): string {
  return String(value).padStart(width);
}

/** One line of exactly `width` columns. */
function fit(text: string, width: number): string {
  const line = clean(text);
  return line.length > width ? `${line.slice(0, width - 1)}…` : line.padEnd(width);
}
