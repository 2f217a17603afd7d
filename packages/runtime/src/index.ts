export type {
  Action,
  ActionResult,
  ActionsSpec,
  Blob,
  CheckSpec,
  Clock,
  Commit,
  CommitPoint,
  ConfirmationSpec,
  Delta,
  Dialect,
  EventBody,
  EventQuery,
  EventText,
  InboxItem,
  Intent,
  Issue,
  IssueGroup,
  Json,
  JsonObject,
  Layout,
  Lease,
  Limits,
  LoadedRun,
  Message,
  Model,
  ModelReply,
  ModelRequest,
  Notice,
  Observation,
  Operation,
  ParsedReply,
  Patch,
  Payload,
  PayloadRef,
  Pointer,
  Prompt,
  PromptPart,
  ReplyMode,
  Result,
  RunEvent,
  RunHead,
  RunStatus,
  RunSummary,
  Skill,
  Store,
  Strategy,
  StrategyInput,
  Subject,
  Subjects,
  Tool,
  ToolCall,
  ToolDeclaration,
  ToolResult,
  ToolSpec,
  ToolStatus,
  Transition,
  Turn,
  Usage,
} from './types.ts';

export { checkJson, parseJson } from './json/parse.ts';
export { canonicalJson, promptJson, sha256 } from './json/text.ts';
export { byteLength, capText, wellFormed } from './json/wellformed.ts';
export { compileExpression, type Expression } from './json/expression.ts';

export { defineSkill, SkillError, type SkillInput } from './skill/define.ts';
export { type LoadedSkill, loadSkill, loadSkills, type SkillList } from './skill/load.ts';
export { parseSkillDocument } from './skill/skill.ts';
export { diffSkills } from './skill/diff.ts';

export { checkState } from './state/check-state.ts';
export { compileContract, type Contract } from './state/contract.ts';
export { applyDelta, replay, stateDiff } from './state/delta.ts';
export { type Resolved, resolvePatch } from './state/resolve.ts';

export { renderState } from './prompt/render.ts';
export { promptText } from './prompt/text.ts';
export { worstCasePrompt, type WorstCasePrompt } from './prompt/worst-case.ts';

export { parseTransition } from './model/transition.ts';
export { type AiSdkOptions, checkAiSdkModel, createAiSdkModel } from './model/ai-sdk.ts';
export { type ModelSettings, parseModelName } from './model/choose.ts';
export { describeProvider } from './model/describe.ts';
export { createScriptedModel, loadScriptedModel, type ReplyFunction } from './model/script.ts';

export { createTokenCounter, estimate, type TokenCounter } from './usage/tokens.ts';
export { costUsd, priceOf, type PriceSheet, storageUsd } from './usage/price.ts';
export { priceSheets } from './usage/prices.ts';
export { type CacheRules, createCacheSimulation, simulateCache } from './usage/cache.ts';
export { createSpans, loadTracer, type Spans } from './usage/spans.ts';
export { emptyUsage, sumUsage } from './usage/usage.ts';

export { chainEvents, genesis, verifyChain } from './event/chain.ts';
export { EVENT_TYPES } from './event/codec.ts';
export { makeFolder } from './folder.ts';
export { checkExport, exportRun, writeExport } from './event/export.ts';
export { replayState } from './event/replay.ts';
export { type VerifyReport, verifyRun } from './event/verify.ts';

export { salvage } from './store/sqlite/salvage.ts';
export { openSqliteStore } from './store/sqlite/store.ts';
export { currentDriver, isDeadLocal } from './store/driver.ts';
export { isStoreError, StoreError } from './store/error.ts';

export type { Connector, ToolSource } from './action/source.ts';
export {
  endLeftoverServers,
  filesConnector,
  findSandbox,
  mcpConnector,
  openShell,
  runInSandbox,
  shellConnector,
} from './action/connectors.ts';
export type { FilesOptions } from './action/files/connector.ts';
export type { McpOptions } from './action/mcp/connector.ts';
export type { McpAnswer, McpHost, McpQuestion } from './action/mcp/host.ts';
export type { ShellToolOptions } from './action/shell/tool.ts';
export { showBytes, showCaptured } from './action/shell/bytes.ts';
export type {
  Captured,
  OpenResult,
  RunOptions,
  SandboxStatus,
  Shell,
  ShellCommand,
  ShellLimits,
  ShellOptions,
  ShellProblem,
  ShellResult,
  ShellRun,
} from './action/shell/types.ts';

export { RunError } from './run/error.ts';
export { offeredTools } from './run/offered.ts';
export { inspectStep, readText, type StepView } from './run/inspect.ts';
export { promptAt, promptNext, stateAt } from './run/prompt-of.ts';
export type {
  DriveOptions,
  ResumeOptions,
  RuntimePorts,
  StartOptions,
} from './run/ports.ts';
export {
  judgeReply,
  type ProbeOptions,
  type ProbeOutcome,
  type ProbeReport,
  probeModel,
} from './run/probe.ts';
export { type RunReport, reportRun } from './run/report.ts';
export { createRuntime, type Runtime } from './run/runtime.ts';
export type { Progress } from './run/session.ts';
export { stateStrategy } from './run/strategy.ts';
