import { styleText } from 'node:util';
import type { Progress, RunEvent } from '@skillstate/runtime';

/** The stream that a live view writes to; `isTTY` decides about colours. */
type Screen = { readonly isTTY?: boolean; write(text: string): unknown };

/**
 * One line a step while a run goes: step, action, prompt and state size, rejections, tokens. Written line by line, so
 * it reads the same in a terminal, a pipe and a CI log. `null` shows nothing.
 */
export function createLiveView(screen: Screen | null): (progress: Progress) => void {
  if (screen === null) return () => undefined;
  const show = (line: string): void => void screen.write(`${line}\n`);
  const dim = (text: string): string => (screen.isTTY ? styleText('dim', text) : text);
  return (progress) => {
    if (progress.kind === 'disabled') show(`warning: ${progress.issue.hint}`);
    if (progress.kind !== 'event') return;
    const line = eventLine(progress.event);
    if (line !== null) show(progress.event.type === 'step.accepted' ? line : dim(line));
  };
}

/** What a person wants to see of an event; null for those that say nothing new. */
export function eventLine(event: RunEvent): string | null {
  switch (event.type) {
    case 'step.accepted': {
      const tokens = event.usage.inputTokens + event.usage.outputTokens;
      const counted = tokens === 0 ? '' : `  ${tokens} tokens`;
      return `${pad(event.step, 4)}  ${fit(actionText(event.action), 44)}  prompt ${pad(event.promptBytes, 6)} B  state ${pad(event.stateBytes, 6)} B${counted}`;
    }
    case 'step.rejected': {
      const [first] = event.issues;
      return `${pad(event.step, 4)}  rejected (${event.attempt}): ${first?.code ?? ''} ${first?.path ?? ''} ${fit(first?.hint ?? '', 80).trimEnd()}`;
    }
    case 'action.finished':
      return event.status === 'ok' ? null : `      ${event.tool}: ${event.status}`;
    case 'model.retried':
      return `      model: ${event.retries.length} retries (${event.retries.at(-1)?.code ?? ''})`;
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
      return `      ${event.who} changed ${event.delta.length} fields ${event.why}`.trimEnd();
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

export function actionText(action: { readonly tool: string; readonly args: object }): string {
  const values = Object.entries(action.args);
  if (values.length === 1 && values[0]?.[0] === 'command') return String(values[0][1]);
  return values.length === 0 ? action.tool : `${action.tool} ${JSON.stringify(action.args)}`;
}

function pad(value: number, width: number): string {
  return String(value).padStart(width);
}

/** One line of exactly `width` columns; control characters of untrusted text never reach a terminal. */
function fit(text: string, width: number): string {
  const clean = text.replace(/\p{C}/gu, ' ');
  return clean.length > width ? `${clean.slice(0, width - 1)}…` : clean.padEnd(width);
}
