/**
 * A process that writes and may be killed. Arguments: file, run, how many commits. Prints one line of JSON for every
 * commit that the store has confirmed.
 */
import { writeSync } from 'node:fs';
import { replayState } from '../../event/replay.ts';
import { toPayload } from '../../event/text.ts';
import type { RunEvent } from '../../types.ts';
import { currentDriver } from '../driver.ts';
import { type SampleRun, sampleRun, startSample, stepBody } from '../sample.ts';
import { openSqliteStore } from './store.ts';

const [, , file = '', name = '', count = '0'] = process.argv;
const store = await openSqliteStore(file);

async function resume(): Promise<SampleRun> {
  const loaded = await store.load(name);
  if (loaded === null) return startSample(store, name, { state: { steps: [] } });
  const claim = await store.claim(name, currentDriver(), 60_000);
  if (!claim.ok) throw new Error(`held by ${claim.holder.driver.pid}`);
  const tail: RunEvent[] = [];
  for await (const event of store.events(name, { from: loaded.snapshot.seq + 1 })) tail.push(event);
  return sampleRun(store, claim.lease, loaded.head, replayState(loaded.snapshot.state, tail));
}

const run = await resume();
for (let i = 0; i < Number(count); i++) {
  const { step } = run.head;
  const payload = toPayload(Buffer.from(`output of ${name} step ${step} `.repeat(100)), 'text/plain');
  const body = { ...stepBody(step + 1, [{ set: `/steps/${step}`, value: step }]), reasoning: payload.ref };
  const steps = [...(run.state['steps'] as number[]), step];
  await run.append([body as never], {
    payloads: [payload],
    head: { step: step + 1 },
    snapshot: step % 10 === 0 ? { ...run.state, steps } : null,
  });
  writeSync(1, `${JSON.stringify({ seq: run.head.seq, step: run.head.step })}\n`);
}
await store.release(run.lease);
await store.close();
