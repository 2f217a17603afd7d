import { expectedSizes } from './expected.ts';
import { playTruth, type TrueTurn } from './truth-play.ts';

/** Computes the closed form of one long `state` episode and prints the most that it held, in bytes. Needs --expose-gc. */
const horizon = Number(process.argv[2]);
const spec = { environment: 'warehouse-crowded', seed: 1, horizon } as const;

const held = (): number => {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
};

const start = held();
let most = start;
function* watched(): Generator<TrueTurn> {
  let turns = 0;
  for (const turn of playTruth(spec)) {
    turns += 1;
    if (turns % 500 === 0) most = Math.max(most, held());
    yield turn;
  }
}
await expectedSizes(
  spec,
  { id: 'state', strategy: 'state' },
  watched(),
  { reasoning: 'none', seed: 1 },
  (text) => text.length,
);
process.stdout.write(JSON.stringify({ grown: most - start }));
