export {
  type Environment,
  type Episode,
  type ActResult,
  type BenchSkill,
  type Recovery,
  type Score,
  type Truth,
  type Verdict,
  composeObservation,
  END_OF_EPISODE,
} from './env/environment.ts';
export { type NoiseOptions, TELEMETRY_HEADER } from './env/noise.ts';
export { createWarehouse, CROWDED, type WarehouseOptions } from './env/warehouse/warehouse.ts';
export type { WarehouseDrift } from './env/warehouse/drift.ts';
export { warehouseSkill } from './env/warehouse/skill.ts';
export { createReference, type Reference, type ReferenceOptions } from './reference/reference.ts';
export { type FaultRates, paperMix } from './reference/faults.ts';
export { buildSummaryPrompt, type SummaryRequest } from './reference/summary.ts';
