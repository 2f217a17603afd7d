import { readText, stateDiff, type StepView, type Store } from '@skillstate/runtime';
import { clean, paint } from '../output.ts';
import { actionText } from './live.ts';

/** One step, explained: what the model saw, what it answered, what the runtime decided, what the world said. */
export async function stepLines(store: Store, run: string, view: StepView): Promise<string[]> {
  const { observation, accepted, rejected, outcome } = view;
  const heading = (text: string): string => paint('bold', text);
  const lines = [heading(`step ${observation.step} of ${run}`), '', heading('it saw')];
  if (observation.result !== null)
    lines.push(
      ...indent(
        `${actionText(observation.result.action)} → ${observation.result.status}\n${observation.result.text}`,
      ),
    );
  for (const message of observation.messages)
    lines.push(...indent(`message from ${message.from}: ${message.text}`));
  for (const notice of view.notices)
    lines.push(
      ...indent(
        `notice ${notice.kind}: ${'text' in notice ? notice.text : notice.issues.map((issue) => issue.hint).join('; ')}`,
      ),
    );
  for (const attempt of rejected) {
    lines.push('', heading(`attempt ${attempt.attempt} was rejected (event ${attempt.seq})`));
    lines.push(...attempt.issues.map((issue) => `  ${issue.code}  ${issue.path || '/'}  ${issue.hint}`));
  }
  if (accepted === null) return [...lines, '', 'no reply of this step was accepted'];
  lines.push(
    '',
    heading(`it answered (event ${accepted.seq}${accepted.atCap ? ', on the last allowed try' : ''})`),
  );
  const reasoning = await readText(store, run, accepted.reasoning);
  if (reasoning.trim() !== '') lines.push(...indent(`reasoning: ${reasoning.trim()}`));
  lines.push(`  patch   ${JSON.stringify(accepted.patch)}`, `  action  ${actionText(accepted.action)}`);
  lines.push(...accepted.remarks.map((remark) => `  remark  ${remark}`));
  lines.push('', heading('the state changed'));
  const delta = stateDiff(view.before, view.after);
  lines.push(
    ...(delta.length === 0
      ? ['  not at all']
      : delta.map((change) =>
          'set' in change ? `  + ${change.set} = ${JSON.stringify(change.value)}` : `  - ${change.delete}`,
        )),
  );
  if (outcome !== null) {
    lines.push(
      '',
      heading(`the world answered (event ${outcome.seq}, ${outcome.durationMs} ms): ${outcome.status}`),
    );
    lines.push(...indent(await readText(store, run, outcome.result)));
  }
  lines.push(...view.others.map((event) => `  event ${event.seq}: ${event.type}`));
  return lines;
}

/** At most 40 lines, without control characters. */
function indent(text: string): string[] {
  const lines = text.split('\n').map((line) => `  ${clean(line)}`);
  return lines.length > 40 ? [...lines.slice(0, 40), `  … ${lines.length - 40} more lines`] : lines;
}
