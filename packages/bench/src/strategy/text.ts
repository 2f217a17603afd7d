import type { Issue, Notice, PromptPart, StrategyInput } from '@skillstate/runtime';

/** The words that the templates of appendix A share. */
export const ASK = "Generate your next reasoning and action (format 'Action: <cmd>'):";
export const ASK_STATE = `Update the state if necessary, provide reasoning, and output 'Action: <cmd>'. To update state, use the format: StateUpdate: {"key": "value"}`;

/** O as the paper's templates show it: the last action's result, then the messages; no envelope. */
export function observationText({ observation }: Pick<StrategyInput, 'observation'>): string {
  const result = observation.result?.text ?? '';
  return [result, ...observation.messages.map((message) => message.text)]
    .filter((text) => text !== '')
    .join('\n');
}

export function part(role: PromptPart['role'], text: string, cache = false): PromptPart {
  return { role, text, cache };
}

export function instructionsPart({ skill }: StrategyInput, heading = '', cache = true): PromptPart {
  return part('system', `Instructions:\n${skill.instructions}${heading}`, cache);
}

/** The last part: O, what the runtime has to say about a refused reply, and the request. Changes at every call. */
export function latestPart(input: StrategyInput, ask: string): PromptPart {
  const notices = noticesText(input.notices);
  const told = notices === '' ? '' : `\n\nNotices:\n${notices}`;
  return part('user', `Latest Observation:\n${observationText(input)}${told}\n\n${ask}`);
}

/** The same facts about a refused reply that the state strategy shows. */
export function noticesText(notices: readonly Notice[]): string {
  return notices.flatMap(noticeLines).join('\n');
}

const MOST_ISSUES = 20;

function noticeLines(notice: Notice): string[] {
  if (notice.kind !== 'rejected') return [`- ${notice.kind}: ${oneLine(notice.text)}`];
  const { attempt, left, issues, fragment } = notice;
  return [
    `- rejected: attempt ${attempt} was refused and no action ran (${left} attempts left). Correct every issue and answer again:`,
    ...issues.slice(0, MOST_ISSUES).map(issueLine),
    ...(fragment === '' ? [] : ['- refused:', fragment.replace(/^/gm, '| ')]),
  ];
}

function issueLine({ code, path, hint }: Issue): string {
  return `- ${code}${path === '' ? '' : ` at ${oneLine(path)}`}: ${oneLine(hint)}`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ');
}
