import type { Issue } from '../types.ts';

/** A run cannot be started, resumed or ordered as asked; nothing was changed. */
export class RunError extends Error {
  readonly issue: Issue;
  constructor(issue: Issue) {
    super(issue.hint);
    this.name = 'RunError';
    this.issue = issue;
  }
}
