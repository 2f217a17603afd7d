import { diffToolSpecs } from '../action/toolset.ts';
import { diffSkills } from '../skill/diff.ts';
import { checkState } from '../state/check-state.ts';
import { stateDiff } from '../state/delta.ts';
import { mergePatch } from '../json/merge-patch.ts';
import type { Issue, JsonObject, Skill } from '../types.ts';
import { RunError } from './error.ts';
import { documentsOf } from './open.ts';
import { commit, record, type Session } from './session.ts';
import type { Stored } from './stored.ts';

/**
 * A run is bound to its skill and tool list (R15). Where either is not what it was, says what changed and refuses,
 * unless the change is accepted or the new skill declares a migration from the old version. The state must be valid
 * under the new contract; nothing is guessed.
 */
export async function acceptChange(session: Session, old: Stored, accepted: boolean): Promise<void> {
  const { skill, toolset, head } = session;
  if (skill.digest === head.skill && toolset.digest === head.tools) return;
  const changes = [...diffSkills(old.skill, skill), ...diffToolSpecs(old.tools, toolset.specs)];
  const migration = skill.migrations.find(
    (step) => step.from === old.skill.version && step.from !== skill.version,
  );
  if (!accepted && migration === undefined) throw new RunError(changed(head.run, changes));
  const state =
    migration === undefined ? session.state : (mergePatch(session.state, migration.patch) as JsonObject);
  const [problem] = checkState(session.contract, state);
  if (problem !== undefined) throw new RunError(invalid(problem, skill));
  for (const { digest, name, document } of documentsOf(skill, toolset))
    await session.store.keep(digest, name, document);
  record(session, {
    type: 'skill.changed',
    from: { skill: head.skill, tools: head.tools },
    to: { skill: skill.digest, tools: toolset.digest },
    changes,
    delta: stateDiff(session.state, state),
  });
  await commit(session, 'outcome', { skill: skill.digest, tools: toolset.digest }, state);
}

function changed(run: string, changes: readonly string[]): Issue {
  const what = changes.slice(0, 12).join('; ') || 'its text';
  const hint = `the skill or its tools changed since run ${run} began: ${what}. Accept it with --accept-skill-change, or declare a migration`;
  return { code: 'run.skill_changed', path: '', hint };
}

function invalid(problem: Issue, skill: Skill): Issue {
  const hint = `the run's state does not fit the new contract (${problem.path}: ${problem.hint}); declare a migration to version ${skill.version}`;
  return { code: 'run.needs_migration', path: problem.path, hint };
}
