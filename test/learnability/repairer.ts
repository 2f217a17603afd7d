import type { Json } from '@skillstate/runtime';
import { looseObjects } from './loose-json.ts';
import { repairs } from './repairs.ts';

/** A member of an object, or an item of a list, that can be changed in place. */
export type Draft = { [key: string]: Json };

/** One issue as the prompt shows it. */
export type Line = { readonly code: string; readonly path: string; readonly hint: string };

/**
 * A stand-in for a small model: it sees the lines of `## Notices` and its own refused reply, nothing else, and answers with
 * one corrected reply. It knows no schema, no state, no tool and no expected answer; it does what the hints say.
 */
export function repairReply(notices: string, refused: string): string {
  const lines = issueLines(notices);
  const draft = ownTransition(refused, lines);
  for (const line of lines) repairs.find(({ code }) => line.code.startsWith(code))?.mend(draft, line);
  draft['state_patch'] ??= {};
  draft['action'] ??= { tool: 'wait', args: {} };
  return JSON.stringify(draft);
}

const LINE = /^- ([a-z]+\.[a-z_]+)(?: at (\S*))?: (.*)$/;

function issueLines(notices: string): Line[] {
  return notices.split('\n').flatMap((text) => {
    const match = LINE.exec(text);
    return match === null ? [] : [{ code: match[1] ?? '', path: match[2] ?? '', hint: match[3] ?? '' }];
  });
}

/** The transition that the author of the reply sees in it: the last object that has both keys, or the pieces of one. */
function ownTransition(refused: string, lines: readonly Line[]): Draft {
  const objects = looseObjects(refused).flatMap(
    (value) => (Array.isArray(value) ? value : [value]) as Json[],
  );
  const drafts = objects.filter((value) => value !== null && typeof value === 'object') as Draft[];
  const wrapped = lines.find(({ code }) => code === 'syntax.wrapped');
  if (wrapped !== undefined) return drafts[0]?.[wrapped.path.slice(1)] as Draft;
  const whole = drafts.filter((draft) => 'state_patch' in draft && 'action' in draft);
  return whole.at(-1) ?? Object.assign({}, ...drafts);
}
