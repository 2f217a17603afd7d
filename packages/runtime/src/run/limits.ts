import type { Issue } from '../types.ts';
import { stuck } from './progress.ts';
import type { Session } from './session.ts';

/** The first limit of the skill that this run has used up; it pauses the run and loses nothing. */
export function exhausted(session: Session): Issue | null {
  const { limits } = session.skill;
  const { head } = session;
  const tokens = head.usage.inputTokens + head.usage.outputTokens;
  const elapsed = session.clock.now() - session.startedAt;
  const over = (name: string, used: number, limit: number | null, unit: string): Issue | null =>
    limit === null || used < limit
      ? null
      : {
          code: `run.limit_${name}`,
          path: `/limits/${name}`,
          hint: `the limit of ${limit} ${unit} is used up; go on with a higher one: skillstate resume ${head.run} --limit ${name}=…`,
        };
  if (stuck(head, limits.noProgress))
    return {
      code: 'run.no_progress',
      path: '',
      hint: `the same action gave the same result ${2 * limits.noProgress} times and the state did not change; send the run a message that helps, then resume it`,
    };
  return (
    over('steps', head.step, limits.steps, 'steps') ??
    over('tokens', tokens, limits.tokens, 'tokens') ??
    over('costUsd', head.costUsd, limits.costUsd, 'USD') ??
    over('wallMs', elapsed, limits.wallMs, 'ms of this drive')
  );
}
