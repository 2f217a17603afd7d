import { createRepository } from './repository/repository.ts';
import { createWarehouse } from './warehouse/warehouse.ts';

/** Run as a process by the determinism test: prints every text of a few episodes played by the ground truth. */
for (const seed of [1, 2]) {
  for (const { environment, truth } of [
    createWarehouse({ seed, horizon: 120, noise: { events: 5, overrides: true } }),
    createWarehouse({ seed, horizon: 120, crowded: 300, drift: { scenario: 'secret-move' } }),
    createRepository({ seed, horizon: 120, noise: { events: 5 } }),
    createRepository({ seed, horizon: 120, drift: { scenario: 'force-push' } }),
  ]) {
    for (let turn = 0; turn < environment.horizon; turn++) {
      process.stdout.write(`${environment.event(turn)}\n${environment.act(truth.answer()).text}\n`);
    }
  }
}
