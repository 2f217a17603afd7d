import type { Issue, Pointer } from '../types.ts';

export function skillIssue(name: string, path: Pointer, hint: string): Issue {
  return { code: `skill.${name}`, path, hint };
}

export function failed(...issues: Issue[]): { ok: false; issues: Issue[] } {
  return { ok: false, issues };
}
