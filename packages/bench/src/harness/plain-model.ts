import type { Model } from '@skillstate/runtime';
import type { BenchModel } from './model.ts';

/** Any model of the runtime as a bench's model. */
export function benchModelOf(model: Model): BenchModel {
  return {
    facts: { name: model.name, mode: model.mode, reasoning: null, faults: null },
    mode: model.mode,
    dialect: model.dialect,
    open: () => Promise.resolve({ ask: (request) => model.ask(request), close: () => Promise.resolve() }),
  };
}
