import { isStoreError } from '../store/error.ts';
import type { Issue } from '../types.ts';
import type { Session } from './session.ts';

/**
 * Why this driver let go of a run that goes on: `run.driven` where another took it over, `run.let_go` where this process
 * was told to stop. null: the run itself came to rest. Throws what else ended the drive, such as a lost disk.
 */
export async function whyLetGo(session: Session, refused: unknown): Promise<Issue | null> {
  const { aborted, reason } = session.abort.signal;
  const lost: unknown = refused ?? (aborted ? reason : null);
  if (isStoreError(lost, 'store.fenced')) return takenOver(session);
  if (refused !== null || isStoreError(lost)) throw lost;
  const { run, status } = session.head;
  if (!aborted || status !== 'running') return null;
  const hint = `this process was told to let go of run ${run}; skillstate resume ${run} goes on`;
  return { code: 'run.let_go', path: '', hint };
}

async function takenOver({ store, head: { run } }: Session): Promise<Issue> {
  const holder = (await store.runs()).find(({ head }) => head.run === run)?.lease?.driver;
  const who =
    holder === undefined
      ? 'another driver took it over and has let go of it since'
      : `process ${holder.pid} on ${holder.host} drives it now`;
  const hint = `run ${run} is no longer driven here: ${who}; nothing more was written from here. Follow it: skillstate log ${run} --follow`;
  return { code: 'run.driven', path: '', hint };
}
