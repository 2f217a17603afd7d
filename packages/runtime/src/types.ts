/**
 * The words of the system and its ports. Read this file, then `run/loop.ts`, and you know the runtime.
 *
 *   P  Skill         immutable instructions, actions and the state contract
 *   Σ  JsonObject    the current state, valid against `Skill.state` after every commit
 *   O  Observation   the last action's result exactly once, then queued outside messages
 *
 * The model answers with one Transition. The runtime resolves its patch to a Delta, commits it together with the
 * intent to act (an Intent), runs the action through a Tool and confirms the effect. Every commit is one call of
 * `Store.commit` and appends events; the events explain every state.
 *
 * Longer than 500 lines on purpose: all words in one place are easier to learn than the same words in seven files.
 * Everything here is data or a small interface. Times are milliseconds since the epoch unless a name says otherwise;
 * sizes are UTF-8 bytes.
 */

// ── JSON ────────────────────────────────────────────────────────────────────────────────────────────────────────

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export type JsonObject = { readonly [key: string]: Json };

/** A JSON Pointer (RFC 6901): `''` is the whole document, `/a/b~1c` a member. */
export type Pointer = string;

/** The part before the dot of every issue code; the first three are the paper's failure modes (section 5.7). */
export type IssueGroup =
  | 'overwrite'
  | 'schema'
  | 'syntax'
  | 'owner'
  | 'bound'
  | 'action'
  | 'confirm'
  | 'skill'
  | 'store'
  | 'model'
  | 'run';

/** An expected failure, as data: a stable code, where, and what to do about it. `hint` says what was wanted and what came. */
export type Issue = {
  readonly code: `${IssueGroup}.${string}`;
  readonly path: Pointer;
  readonly hint: string;
};

export type Result<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly issues: readonly Issue[] };

// ── P: the skill ────────────────────────────────────────────────────────────────────────────────────────────────

export type Merge = 'replace' | 'append' | 'union' | 'keyed' | 'sum' | 'max';
export type Owner = 'model' | 'runtime' | 'user';
export type Overflow = 'reject' | 'drop-oldest';
export type Dialect = 'merge' | 'operations';
export type Layout = 'cached' | 'paper';

/** The normal form of a skill folder or of `defineSkill()`. Deeply frozen; `digest` covers everything else in it. */
export type Skill = {
  readonly name: string;
  readonly description: string;
  readonly version: string;
  /** Body of SKILL.md, well-formed text. */
  readonly instructions: string;
  /** JSON Schema 2020-12 of Σ with `x-merge`, `x-key`, `x-owner`, `x-commit`, `x-overflow`. The root is an object. */
  readonly state: JsonObject;
  readonly initial: JsonObject;
  /** `merge` unless the provider needs the list of operations (R6); `auto` lets the model adapter choose. */
  readonly dialect: Dialect | 'auto';
  readonly layout: Layout;
  /** Lossless coercion of `"6"` to 6 where an integer is wanted (R6). */
  readonly coerce: boolean;
  /** Opt-in of R5: trailing commas and the like are repaired, and the event says so. */
  readonly repairJson: boolean;
  readonly actions: ActionsSpec;
  readonly observation: ObservationLimits;
  readonly limits: Limits;
  /** CEL over `state`: `finish` is refused while it is false. */
  readonly done: string | null;
  readonly confirmations: readonly ConfirmationSpec[];
  readonly approvals: ApprovalSpec;
  readonly ledger: boolean;
  /** From an older `version` to this one: a merge patch applied to the old state. */
  readonly migrations: readonly { readonly from: string; readonly patch: JsonObject }[];
  /** SHA-256, hex, over the RFC 8785 text of all other members. */
  readonly digest: string;
};

export type ActionsSpec = {
  /** The tool that receives `{command}` where the model's action is a command string; null: actions are `{tool, args}`. */
  readonly command: string | null;
  readonly servers: Readonly<Record<string, McpServerSpec>>;
  /** Names of function tools that the host passes in. */
  readonly functions: readonly string[];
  readonly shell: ShellSpec | null;
  readonly files: FilesSpec | null;
  /** Whether the built-in `recall` (search over the run's own events) is offered. */
  readonly recall: boolean;
  /** Allow-list of tool names; null allows all that the sources above give. */
  readonly allow: readonly string[] | null;
  /** What the skill declares about a tool beyond what its server says. */
  readonly tools: Readonly<Record<string, ToolDeclaration>>;
};

export type McpServerSpec =
  | {
      readonly transport: 'stdio';
      readonly command: string;
      readonly args: readonly string[];
      /** Values may hold `${secret:NAME}`. */
      readonly env: Readonly<Record<string, string>>;
      readonly cwd: string | null;
      readonly startMs: number;
    }
  | {
      readonly transport: 'http';
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly startMs: number;
    };

export type ShellSpec = {
  readonly workspace: string;
  readonly mode: 'bind' | 'copy';
  readonly network: boolean;
  readonly timeoutMs: number;
  readonly outputBytes: number;
  readonly processes: number;
  readonly memoryBytes: number;
  readonly workspaceBytes: number;
};

export type FilesSpec = { readonly roots: readonly string[]; readonly write: boolean };

export type ObservationLimits = {
  /** Largest text of an action's result that a prompt shows; the rest is behind a handle. */
  readonly resultBytes: number;
  /** Most queued messages shown at once (k), and the largest text of each. */
  readonly messages: number;
  readonly messageBytes: number;
};

/** Each limit pauses the run (`needs_attention`); null: none. */
export type Limits = {
  readonly steps: number | null;
  /** Rejected replies in one step. */
  readonly rejections: number;
  readonly tokens: number | null;
  readonly costUsd: number | null;
  readonly wallMs: number | null;
  /** Same action on the same state this many times: one notice, then as many again: stop. */
  readonly noProgress: number;
};

export type ApprovalSpec = {
  /** Tool names that wait for a person; `destructive` adds every tool so declared. */
  readonly tools: readonly string[];
  readonly destructive: boolean;
  readonly expireMs: number | null;
};

/** A declared read-back that turns a claim into a confirmed field (R12). Expressions are CEL over `args`, `result`, `state`, `read`. */
export type ConfirmationSpec = {
  readonly name: string;
  /** The actions it follows. */
  readonly after: readonly string[];
  /** CEL: what is confirmed, e.g. an id. A later write to the same subject clears the confirmation. */
  readonly subject: string;
  readonly reads: readonly {
    readonly as: string;
    readonly tool: string;
    /** Members are CEL expressions where they start with `=`, literals otherwise. */
    readonly args: JsonObject;
    /** Merged over `args` to bypass a cache. */
    readonly bypass: JsonObject | null;
  }[];
  readonly fresh: {
    /** Least age of the write before a read counts. */
    readonly minAgeMs: number;
    /** First pause between rechecks; doubles; until `deadlineMs` after the write. */
    readonly recheckMs: number;
    readonly deadlineMs: number;
    /** CEL over the reads and `age` (ms since the write) that must hold before they count, e.g. `read.cache_age_ms <= age`. */
    readonly when?: string;
    /** The write is complete when its tool answers: a read that counts and fails the checks is not made again. */
    readonly settled?: boolean;
  };
  readonly checks: readonly CheckSpec[];
  /** The runtime-owned field it fills: a pointer whose segments may be `=CEL`, and the CEL of the value. */
  readonly set: { readonly path: Pointer; readonly value: string };
  /** CEL over the reads that must hold before "absent" may be concluded; null: absence is never concluded. */
  readonly absent: string | null;
  /** Whether `finish` waits for it: always, or where the CEL over `state` holds. */
  readonly required: boolean | string;
};

export type CheckSpec =
  | { readonly cel: string; readonly hint: string }
  | { readonly schema: JsonObject; readonly on: string; readonly hint: string }
  | {
      readonly is: 'exists' | 'status' | 'count' | 'no-residual' | 'length-ratio' | 'equals' | 'matches';
      /** CEL of the value that is looked at. */
      readonly of: string;
      readonly want: Json;
      readonly hint: string;
    };

// ── Σ: patches and deltas ───────────────────────────────────────────────────────────────────────────────────────

export type Operation = {
  readonly op: 'set' | 'delete' | 'add' | 'remove';
  readonly path: Pointer;
  readonly value?: Json;
};

/** ΔΣ as the model proposes it, in one of the two dialects (R6). */
export type Patch =
  | { readonly dialect: 'merge'; readonly value: JsonObject }
  | { readonly dialect: 'operations'; readonly value: readonly Operation[] };

/** ΔΣ as resolved: applied in order, no schema and no merge code needed (R15). Setting index `length` of an array appends. */
export type Delta = readonly (
  | { readonly set: Pointer; readonly value: Json }
  | { readonly delete: Pointer }
)[];

// ── Actions and tools ───────────────────────────────────────────────────────────────────────────────────────────

/** What the model asks for. A command string is `{tool: <Skill.actions.command>, args: {command}}`. */
export type Action = { readonly tool: string; readonly args: JsonObject };

/** The model's whole answer. */
export type Transition = { readonly reasoning: string; readonly patch: Patch; readonly action: Action };

export type ToolDeclaration = {
  readonly readOnly?: boolean;
  readonly idempotent?: boolean;
  readonly destructive?: boolean;
  /** Bound of a whole call. */
  readonly timeoutMs?: number;
  /** Ends a call earlier when its server reports no progress for so long; every report starts it again (P56). */
  readonly progressMs?: number;
  /** Where the idempotency key goes, and (CEL over `args`) a business key in place of run+step+arguments. */
  readonly key?: {
    readonly in: 'argument' | 'header' | 'meta';
    readonly name: string;
    readonly from?: string;
  };
  /** CEL over `state` and `args`; a false one rejects the action with the hint. */
  readonly preconditions?: readonly { readonly cel: string; readonly hint: string }[];
  /** CEL over the result: true means failure although the server says success (P54). */
  readonly failure?: string;
  /** Resources it reads or changes, for the ledger; CEL list over `args`. */
  readonly resources?: string;
  /** Arguments whose lists mean sets: for the ledger their order does not matter. */
  readonly sets?: readonly string[];
  /** Repeating it is normal (polling): exempt from the no-progress detector. */
  readonly polling?: boolean;
  /** The tool only makes a plan; its hash is committed by the tool named here. */
  readonly plan?: { readonly commit: string; readonly argument: string };
};

export type ToolSpec = {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema: JsonObject | null;
  readonly readOnly: boolean;
  readonly idempotent: boolean;
  readonly destructive: boolean;
  readonly timeoutMs: number;
  readonly declaration: ToolDeclaration;
};

export type ToolCall = {
  readonly args: JsonObject;
  /** Idempotency key: the same on every retry of this call, new for a new one (R11). */
  readonly key: string;
  readonly run: string;
  readonly step: number;
  /** Aborted at the deadline, on cancel and when the lease is lost. */
  readonly signal: AbortSignal;
  readonly deadline: number;
};

export type Blob = { readonly name: string; readonly mimeType: string; readonly bytes: Uint8Array };

/** `unknown`: the effect may or may not have happened (timeout, lost connection). */
export type ToolStatus = 'ok' | 'error' | 'unknown';

export type ToolResult = {
  readonly status: ToolStatus;
  /** Complete, well-formed text; capped later, at the prompt. */
  readonly text: string;
  readonly structured?: Json;
  readonly blobs?: readonly Blob[];
};

/** What performs an action. `run` resolves with the failure as data; a throw counts as `unknown` for effects. */
export type Tool = ToolSpec & {
  run(call: ToolCall): Promise<ToolResult>;
  /**
   * A hash over these files (`file:PATH`) and trees (`tree:PATH`, a file or folder with all below it), as the tool's own
   * arguments would name them, from the same file system that the tool reads; null where it cannot be told. Never by modification time (P45).
   */
  fingerprint?(resources: readonly string[]): Promise<string | null>;
};

/** The journalled intent to act: stored in the commit that accepts the step, before the tool runs (R10, R11). */
export type Intent = {
  readonly call: string;
  readonly step: number;
  readonly action: Action;
  readonly key: string;
  /** SHA-256 of the RFC 8785 text of tool and arguments: what an approval binds to. */
  readonly hash: string;
  readonly readOnly: boolean;
  readonly repeatable: boolean;
  readonly startedAt: number;
  readonly deadline: number;
  /** `x-commit: success` fields: applied with the result. */
  readonly pending: JsonObject | null;
  /** Set once its outcome is known to be unknown: it waits for a read-back or a person. */
  readonly unknown: boolean;
};

// ── O: the observation ──────────────────────────────────────────────────────────────────────────────────────────

export type ActionResult = {
  readonly action: Action;
  readonly source: string;
  /** `runtime`: made by this program; `tool`: untrusted text of a tool. */
  readonly trust: 'runtime' | 'tool';
  readonly status: ToolStatus;
  /** Capped text. */
  readonly text: string;
  readonly shownBytes: number;
  readonly totalBytes: number;
  /** Opens the whole text with `read_payload`; null where all is shown. */
  readonly handle: string | null;
  readonly at: number;
};

export type Message = {
  /** Seq of its `message.received` event. */
  readonly seq: number;
  readonly from: string;
  readonly trust: 'user' | 'outside';
  readonly text: string;
  readonly shownBytes: number;
  readonly totalBytes: number;
  readonly handle: string | null;
  readonly at: number;
};

export type Observation = {
  readonly step: number;
  readonly now: number;
  /** IANA zone in which the prompt shows times. */
  readonly zone: string;
  readonly result: ActionResult | null;
  readonly messages: readonly Message[];
  /** Messages that wait behind the shown ones. */
  readonly queued: number;
  readonly budget: {
    readonly steps: number | null;
    readonly tokens: number | null;
    readonly costUsd: number | null;
  };
};

/** A typed, bounded line after O. */
export type Notice =
  | {
      readonly kind: 'rejected';
      readonly attempt: number;
      readonly left: number;
      readonly issues: readonly Issue[];
      /** The refused part of the last reply, capped; '' where it must not be shown again (a truncated reply). */
      readonly fragment: string;
    }
  | {
      readonly kind: 'pending' | 'dropped' | 'full' | 'no_progress' | 'ledger' | 'confirm' | 'fork' | 'run';
      readonly text: string;
    };

// ── The prompt and the model ────────────────────────────────────────────────────────────────────────────────────

export type PromptPart = {
  readonly role: 'system' | 'user' | 'assistant';
  readonly text: string;
  /** The provider's cache breakpoint goes behind this part. */
  readonly cache: boolean;
};

/** In order. The bytes that a model reads are the parts joined by a blank line. */
export type Prompt = readonly PromptPart[];

export type ReplyMode = 'text' | 'tool' | 'structured';

export type Usage = {
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
  /** Whose count this is (R23). */
  readonly source: 'provider' | 'counted' | 'none';
  /** Requests that were cut off before the provider said all they used: the figures above hold only what was known. */
  readonly unreported?: number;
};

export type ModelRequest = {
  readonly prompt: Prompt;
  /** JSON Schema of the whole transition, for tool and structured modes and constrained decoding; null in plain text. */
  readonly schema: JsonObject | null;
  /** Same for all steps of a run: the provider's cache key. */
  readonly cacheKey: string;
  readonly signal: AbortSignal;
  /** Replaces the run's secrets in what a provider says of an error, before that is cut. */
  readonly redact?: (text: string) => string;
};

/** One retry inside a model call; visible in the log. */
export type ModelRetry = { readonly code: string; readonly waitMs: number; readonly hint: string };

export type ModelReply =
  | {
      readonly ok: true;
      /** All visible text. In tool and structured mode the JSON text of the transition is in `json`. */
      readonly text: string;
      readonly json: string | null;
      /** Number of `propose_transition` calls seen (tool mode). */
      readonly calls: number;
      readonly finish: 'stop' | 'length' | 'refusal' | 'other';
      readonly usage: Usage;
      readonly retries: readonly ModelRetry[];
    }
  | {
      readonly ok: false;
      readonly issue: Issue;
      /** Whether asking again later can help (the run waits) or a person must act. */
      readonly temporary: boolean;
      readonly usage: Usage;
      readonly retries: readonly ModelRetry[];
    };

/** Ask a model once. Never throws for what a provider does; secrets never appear in what it returns. */
export interface Model {
  /** `provider:model`, for logs, price sheets and reports. */
  readonly name: string;
  readonly mode: ReplyMode;
  readonly dialect: Dialect;
  ask(request: ModelRequest): Promise<ModelReply>;
}

export type StrategyInput = {
  readonly skill: Skill;
  /** Sorted by name. */
  readonly tools: readonly ToolSpec[];
  readonly state: JsonObject;
  readonly observation: Observation;
  readonly notices: readonly Notice[];
  readonly mode: ReplyMode;
  readonly dialect: Dialect;
};

/** One earlier turn as a transcript would hold it; only strategies with `history: true` see any. */
export type Turn = { readonly observation: string; readonly response: string };

/** How a prompt is built and its reply read. Only one with `history: true` is given earlier turns (R1). */
export type Strategy =
  | {
      readonly name: string;
      readonly history: false;
      render(input: StrategyInput): Prompt;
      parse(reply: ModelReply & { ok: true }, input: StrategyInput): Result<ParsedReply>;
    }
  | {
      readonly name: string;
      readonly history: true;
      /** The text that becomes `Turn.observation` of this step. */
      observe(input: StrategyInput): string;
      /** `memo` is the strategy's own memory (a summary); `ask` bills a call of its own to the step. */
      render(
        input: StrategyInput,
        turns: readonly Turn[],
        memo: Json,
        ask: (prompt: Prompt) => Promise<ModelReply>,
      ): Promise<{ readonly prompt: Prompt; readonly memo: Json }>;
      parse(reply: ModelReply & { ok: true }, input: StrategyInput): Result<ParsedReply>;
    };

/** A transition, and what was done to read it (`repaired JSON`, `decoded string`), for the log. */
export type ParsedReply = { readonly transition: Transition; readonly remarks: readonly string[] };

// ── Events ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** Large or sensitive text lives outside the chain; the event holds its hash, so pruning keeps the chain whole. */
export type PayloadRef = {
  readonly handle: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly mimeType: string;
};
export type Payload = { readonly ref: PayloadRef; readonly bytes: Uint8Array };

/** Text in an event: inline where small, else a payload. */
export type EventText = string | PayloadRef;

/** An observation by the events it was made of: `result` and `messages` are their seqs. */
export type ObservationRef = {
  readonly now: number;
  readonly zone: string;
  readonly result: number | null;
  readonly messages: readonly number[];
  readonly queued: number;
  readonly budget: Observation['budget'];
};

/** A confirmation as a fork inherits it: where its ancestor's log has it (`call`, `step`, `seq`), and the field it filled. */
export type Confirmed = Omit<Subject, 'checked' | 'confirmed'> & { readonly delta: Delta };

export type EventBody =
  | {
      readonly type: 'run.started';
      readonly skill: string;
      readonly tools: string;
      readonly state: JsonObject;
      readonly parent: { readonly run: string; readonly step: number; readonly hash: string } | null;
      /** What a fork has from its parent. */
      readonly confirmed?: readonly Confirmed[];
      readonly model: string;
      readonly strategy: string;
      readonly mode: ReplyMode;
      readonly dialect: Dialect;
    }
  | {
      readonly type: 'run.resumed';
      readonly driver: string;
      readonly note: string;
      /** How the model is asked from here on. */
      readonly model?: string;
      readonly mode?: ReplyMode;
      readonly dialect?: Dialect;
    }
  | {
      readonly type: 'step.accepted';
      readonly step: number;
      readonly observation: ObservationRef;
      readonly notices: readonly Notice[];
      readonly reasoning: EventText;
      /** The proposal as the model wrote it; `delta` is what it was resolved to. */
      readonly patch: Json;
      readonly delta: Delta;
      readonly action: Action;
      /** The journalled intent's call id. */
      readonly call: string;
      readonly remarks: readonly string[];
      readonly usage: Usage;
      readonly promptBytes: number;
      readonly stateBytes: number;
      /** Set where the step was accepted on the last allowed try (P18). */
      readonly atCap: boolean;
      /** JSON text of the Turn, kept only for a strategy with history. */
      readonly turn: EventText | null;
    }
  | {
      readonly type: 'step.rejected';
      readonly step: number;
      readonly attempt: number;
      readonly observation: ObservationRef;
      readonly notices: readonly Notice[];
      readonly reply: EventText;
      readonly issues: readonly Issue[];
      readonly usage: Usage;
      readonly promptBytes: number;
    }
  | {
      readonly type: 'model.failed';
      readonly step: number;
      readonly issue: Issue;
      readonly retries: readonly ModelRetry[];
      readonly usage: Usage;
    }
  | { readonly type: 'model.retried'; readonly step: number; readonly retries: readonly ModelRetry[] }
  | {
      readonly type: 'action.finished';
      readonly step: number;
      readonly call: string;
      readonly tool: string;
      readonly endedAt: number;
      /** Whether it could change the world (not read-only). */
      readonly effect: boolean;
      readonly status: ToolStatus;
      readonly result: EventText;
      readonly structured: EventText | null;
      /** `x-commit: success` fields that came with the result. */
      readonly delta: Delta;
      readonly durationMs: number;
      readonly note: string;
    }
  | {
      readonly type: 'confirmed' | 'unconfirmed';
      readonly step: number;
      readonly call: string;
      readonly name: string;
      readonly subject: Json;
      readonly reads: readonly {
        readonly tool: string;
        readonly args: JsonObject;
        readonly at: number;
        readonly result: EventText;
      }[];
      readonly issues: readonly Issue[];
      readonly delta: Delta;
    }
  | {
      readonly type: 'approval.asked';
      readonly step: number;
      readonly call: string;
      readonly action: Action;
      /** Of tool and arguments: what the answer binds to. */
      readonly actionHash: string;
      readonly expires: number | null;
    }
  | {
      readonly type: 'approval.given' | 'approval.denied';
      readonly call: string;
      readonly actionHash: string;
      readonly who: string;
      readonly why: string;
    }
  | {
      readonly type: 'message.received';
      readonly id: number;
      readonly from: string;
      readonly sentAt: number;
      readonly text: EventText;
    }
  | { readonly type: 'state.set'; readonly who: string; readonly delta: Delta; readonly why: string }
  | {
      readonly type: 'skill.changed';
      /** Digests of the skill and of the tool list. */
      readonly from: { readonly skill: string; readonly tools: string };
      readonly to: { readonly skill: string; readonly tools: string };
      readonly changes: readonly string[];
      readonly delta: Delta;
    }
  | {
      readonly type: 'ledger';
      readonly step: number;
      readonly decision: 'reuse' | 'nudge';
      readonly action: Action;
      readonly source: number;
      readonly note: string;
    }
  | {
      readonly type: 'run.stopped';
      readonly status: RunStatus;
      readonly reason: string;
      readonly code: string;
    };

/** One entry of the append-only log (R15). `hash` covers `prev`, `seq`, `at` and the canonical body. */
export type RunEvent = EventBody & {
  readonly v: 1;
  readonly seq: number;
  readonly at: number;
  readonly prev: string;
  readonly hash: string;
};

// ── The run and its store ───────────────────────────────────────────────────────────────────────────────────────

export type RunStatus = 'running' | 'waiting' | 'needs_attention' | 'finished' | 'failed' | 'cancelled';

/** What a driver needs to go on, besides Σ. Small; rewritten by every commit. */
export type RunHead = {
  readonly v: 1;
  readonly run: string;
  readonly skill: string;
  readonly tools: string;
  readonly status: RunStatus;
  readonly reason: string;
  /** A wake-up time of a waiting run; null: waits for a message. */
  readonly wakeAt: number | null;
  /** Accepted steps. */
  readonly step: number;
  readonly seq: number;
  readonly hash: string;
  readonly intent: Intent | null;
  readonly result: ActionResult | null;
  /** Unknown effects of earlier steps that still need a read-back. */
  readonly unresolved: readonly Intent[];
  readonly rejections: number;
  /** The last attempt's issues; null on the first attempt of a step. */
  readonly rejected: { readonly issues: readonly Issue[]; readonly fragment: string } | null;
  /** The seq of the event that holds `result`, and the messages of the current O; both stay through rejections. */
  readonly resultSeq: number | null;
  readonly messages: readonly Message[];
  readonly notices: readonly Notice[];
  /** Hashes of action + result since Σ last changed, for the no-progress detector. */
  readonly repeat: { readonly hashes: readonly string[]; readonly warned: boolean };
  readonly usage: Usage;
  readonly costUsd: number;
  readonly startedAt: number;
  /** Bytes of deltas and events since the last snapshot. */
  readonly sinceSnapshot: { readonly bytes: number; readonly events: number };
  readonly snapshotBytes: number;
  /** Extra facts of the adapters that must survive a kill (approvals, ledger counters), by owner. */
  readonly facts: JsonObject;
};

/**
 * A subject that was written through an action with a confirmation (R12): what was executed. `confirmed` is the seq of the
 * event that confirmed it, null while none does; `path` is the field that this confirmation filled.
 */
export type Subject = {
  readonly name: string;
  readonly subject: Json;
  readonly call: string;
  readonly step: number;
  /** Seq of the outcome's event. */
  readonly seq: number;
  readonly path: Pointer | null;
  /** Whether the world was read since. */
  readonly checked: boolean;
  readonly confirmed: number | null;
};

/** By name and canonical subject. Rows of their own: a head that held them would grow with every subject. */
export type Subjects = ReadonlyMap<string, Subject>;

/** The durable points (R16); a kill at any instant leaves the last one, resumable. */
export type CommitPoint = 'accept' | 'reject' | 'outcome' | 'confirm' | 'stop';

export type Commit = {
  readonly point: CommitPoint;
  readonly head: RunHead;
  /** Already chained: `events[0].seq` is the stored head's `seq + 1`. */
  readonly events: readonly RunEvent[];
  readonly payloads: readonly Payload[];
  /** Inbox items this commit consumes. */
  readonly consumed: readonly number[];
  /** Σ as of `head.seq`, where this commit also makes a snapshot. */
  readonly snapshot: JsonObject | null;
  /** Subjects that this commit adds, changes or (null) removes. */
  readonly subjects?: readonly (readonly [key: string, subject: Subject | null])[];
};

export type Driver = {
  readonly id: string;
  readonly host: string;
  readonly boot: string;
  readonly pid: number;
  readonly startedAt: number;
};
export type Lease = {
  readonly run: string;
  readonly token: number;
  readonly driver: Driver;
  readonly expiresAt: number;
};

export type InboxItem = {
  readonly id: number;
  readonly at: number;
  readonly kind: 'message' | 'set' | 'cancel' | 'pause' | 'approve' | 'deny' | 'settle';
  readonly from: string;
  /** message: `{text}`; set: `{patch}`; approve, deny: `{hash, why}`; settle: `{call, happened, why}`; cancel, pause: `{why}`. */
  readonly body: JsonObject;
};

export type RunSummary = {
  readonly head: RunHead;
  readonly skillName: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly lease: Lease | null;
};

export type LoadedRun = {
  readonly head: RunHead;
  /** The newest snapshot at or before the wanted event; replay the deltas after `seq` over it. */
  readonly snapshot: { readonly seq: number; readonly state: JsonObject };
  /** What was wrong and got round: a damaged snapshot for which an older one stands in. */
  readonly warnings?: readonly string[];
};

export type EventQuery = {
  readonly from?: number;
  readonly to?: number;
  readonly types?: readonly EventBody['type'][];
  /** Name of the tool that the event speaks of. */
  readonly tool?: string;
  /** Bounds of `at`, both included. */
  readonly since?: number;
  readonly until?: number;
  readonly limit?: number;
};

/**
 * Durable home of runs. One `commit` is one atomic, durable transaction. Methods throw `StoreError` (a code, the place
 * and a hint): `store.fenced` for a late writer, `store.busy` after bounded retries, `store.full`, `store.corrupt`,
 * `store.newer`, `store.readonly`, `store.exists`, `store.missing`, `store.conflict` (the log has moved on),
 * `store.unfinished` (prune of a run that still goes).
 */
export interface Store {
  /** A new run with its first commit; keeps the skill and tool list once per digest. */
  create(
    first: Commit,
    documents: readonly { readonly digest: string; readonly name: string; readonly document: Json }[],
    inbox: readonly Omit<InboxItem, 'id'>[],
  ): Promise<void>;
  /** Stores a skill or tool list for a run that changes to it. */
  keep(digest: string, name: string, document: Json): Promise<void>;
  document(digest: string): Promise<Json | null>;
  load(run: string, atSeq?: number): Promise<LoadedRun | null>;
  /** What the run wrote and whether it is confirmed, as of the head. */
  subjects(run: string): Promise<Subjects>;
  /** Takes the run over if nobody alive holds it; else says who does. Bumps the fencing token. */
  claim(
    run: string,
    driver: Driver,
    ttlMs: number,
  ): Promise<{ ok: true; lease: Lease } | { ok: false; holder: Lease }>;
  renew(lease: Lease, ttlMs: number): Promise<Lease>;
  release(lease: Lease): Promise<void>;
  commit(lease: Lease, commit: Commit): Promise<void>;
  /** In order; at most `limit` (default all), read in pages. */
  events(run: string, query?: EventQuery): AsyncIterable<RunEvent>;
  payload(run: string, handle: string): Promise<Payload | 'pruned' | null>;
  /** Anyone may append to the inbox; only the driver consumes. Returns the item's id. */
  send(run: string, item: Omit<InboxItem, 'id'>): Promise<number>;
  /** Orders before messages, each in arrival order. */
  inbox(run: string, limit: number): Promise<readonly InboxItem[]>;
  runs(): Promise<readonly RunSummary[]>;
  /** Full-text search over the events of a run; any text is a valid query. */
  search(
    run: string,
    text: string,
    limit: number,
    within?: Omit<EventQuery, 'limit'>,
  ): Promise<readonly { readonly seq: number; readonly handle: string | null; readonly excerpt: string }[]>;
  prune(
    run: string,
    what: 'payloads' | 'run',
  ): Promise<{ readonly payloads: number; readonly bytes: number }>;
  close(): Promise<void>;
}

/** Everything nondeterministic that the loop may use. */
export type Clock = { now(): number; sleep(ms: number, signal: AbortSignal): Promise<void> };
