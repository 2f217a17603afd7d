import type { Session } from './session.ts';

/** How long a lease holds without being renewed. */
export const LEASE_MS = 30_000;

/**
 * Call before an effect. A driver that slept past the end of its lease (a stopped process, a suspended machine) asks for it
 * again first: throws `store.fenced` where another has taken the run over, so that its effect does not follow late (R17).
 */
export async function needLease(session: Session): Promise<void> {
  if (session.clock.now() < session.lease.expiresAt) return;
  session.lease = await session.store.renew(session.lease, LEASE_MS);
}
