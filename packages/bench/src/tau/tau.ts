/** τ-bench on this runtime: data, tools, environment, both rewards and the replay of recorded results. */
export {
  type CallResult,
  callTool,
  findTool,
  isFailure,
  respondAction,
  type TauAction,
  toolsOf,
} from './call.ts';
export {
  argumentOrder,
  canonicalCall,
  canonicalRecord,
  type ListOrder,
  recordOrder,
  sameCall,
} from './canonical.ts';
export { type Database, openDatabase, type Snapshot, takeSnapshot } from './database.ts';
export {
  openTau,
  originalStepLimit,
  scriptedUser,
  stopMark,
  type TauEnvironment,
  type TauStep,
  type TauUser,
  type TraceEntry,
} from './environment.ts';
export { type GoldReport, type GoldRow, goldReport, knownBadTasks } from './gold.ts';
export { passHatK } from '../outcome/pass-k.ts';
export { findTauData, loadTau, tauCheckoutCommand, type TauDomain, tauRevision } from './load.ts';
export { readJson, writeJson } from './python/json.ts';
export { dictFromPlain, fromPlain, type PyDict, type PyValue, toPlain } from './python/value.ts';
export {
  type Difference,
  type ReplayOptions,
  type ReplayReport,
  type ReplayRow,
  replayVectors,
  type VectorKind,
} from './replay.ts';
export {
  type GoldError,
  type GoldReplay,
  type OfficialReward,
  officialReward,
  replayGold,
} from './reward.ts';
export { type Split, type TauTask, toAction, toTask } from './task.ts';
export { type DomainName, type ToolDefinition, transferTool } from './tool.ts';
export { type Episode, type OutcomeCheck, type VerifiedOutcome, verifyOutcome } from './verified.ts';
