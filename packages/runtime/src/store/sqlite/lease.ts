import type { Driver, Lease } from '../../types.ts';
import { isDeadLocal } from '../driver.ts';
import { StoreError } from '../error.ts';
import { type Connection, missing, type Row } from './connection.ts';

export type Claim = { ok: true; lease: Lease } | { ok: false; holder: Lease };

/** Call in a transaction. Free, expired, its own, or of a dead local driver (R17): the claim wins and fences the rest. */
export function claimRun(conn: Connection, run: string, driver: Driver, ttlMs: number): Claim {
  const row = conn.get('SELECT token, driver, expires_at FROM runs WHERE run = ?', run);
  if (row === undefined) throw missing(conn, run);
  const holder = leaseOf(conn, run, row);
  if (holder !== null && isHeld(holder, driver, conn.now())) return { ok: false, holder };
  const lease: Lease = { run, token: Number(row['token']) + 1, driver, expiresAt: conn.now() + ttlMs };
  conn.run(
    'UPDATE runs SET token = ?, driver = ?, expires_at = ? WHERE run = ?',
    lease.token,
    JSON.stringify(driver),
    lease.expiresAt,
    run,
  );
  return { ok: true, lease };
}

function isHeld(holder: Lease, claimer: Driver, now: number): boolean {
  if (holder.driver.id === claimer.id || holder.expiresAt <= now) return false;
  return !isDeadLocal(holder.driver, claimer);
}

/** One statement. A lease that ran out but was not taken is renewed: the token alone decides. */
export function renewLease(conn: Connection, lease: Lease, ttlMs: number): Lease {
  const expiresAt = conn.now() + ttlMs;
  const { run, token } = lease;
  const changed = conn.run(
    'UPDATE runs SET expires_at = ? WHERE run = ? AND token = ? AND driver IS NOT NULL',
    expiresAt,
    run,
    token,
  );
  if (changed === 1) return { ...lease, expiresAt };
  if (conn.get('SELECT 1 FROM runs WHERE run = ?', run) === undefined) throw missing(conn, run);
  throw new StoreError(
    'store.fenced',
    `${conn.path} run ${run}`,
    'another driver has taken the run over, or the lease was given back; this driver must stop',
  );
}

/** One statement. Harmless for a lease that is no longer the current one. */
export function releaseLease(conn: Connection, { run, token }: Lease): void {
  conn.run(
    'UPDATE runs SET driver = NULL, expires_at = NULL, token = token + 1 WHERE run = ? AND token = ?',
    run,
    token,
  );
}

/** The lease in a row with token, driver and expires_at; null where nobody has it. */
export function leaseOf(conn: Connection, run: string, row: Row): Lease | null {
  const { token, driver, expires_at: expiresAt } = row;
  if (typeof driver !== 'string') return null;
  try {
    return { run, token: Number(token), driver: JSON.parse(driver) as Driver, expiresAt: Number(expiresAt) };
  } catch (error) {
    throw new StoreError(
      'store.corrupt',
      `${conn.path} run ${run}`,
      'the lease cannot be read; use salvage',
      error,
    );
  }
}
