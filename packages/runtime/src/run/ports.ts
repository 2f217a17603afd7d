import type { Clock, JsonObject, Limits, Model, Skill, Store, Strategy, Tool, Usage } from '../types.ts';
import type { Connector } from '../action/source.ts';
import type { Progress } from './session.ts';

/** What the runtime is given; everything else about a run is in its store. */
export type RuntimePorts = {
  readonly store: Store;
  readonly model: Model;
  /** The paper's runtime by default. */
  readonly strategy?: Strategy;
  /** Function tools; a skill sees those it names. */
  readonly tools?: readonly Tool[];
  readonly connectors?: readonly Connector[];
  /** Ends what a killed driver left running, by the facts it journalled, before anything is read back (R17). */
  readonly leftovers?: readonly ((facts: JsonObject) => Promise<void>)[];
  /** Values behind `${secret:NAME}`; redacted everywhere else. */
  readonly secrets?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
  /** IANA zone in which prompts show times; UTC by default. */
  readonly zone?: string;
  /** USD for a usage, by a dated price sheet; 0 where none is known. */
  readonly price?: (usage: Usage) => number;
  readonly listen?: (progress: Progress) => void;
};

export type DriveOptions = {
  /** In place of the skill's own limits, for this drive. */
  readonly limits?: Partial<Limits>;
  /** How long a waiting run keeps this driver; 0 lets go at once. */
  readonly stayMs?: number;
  readonly signal?: AbortSignal;
};

export type StartOptions = DriveOptions & {
  readonly run?: string;
  /** The first message from the user. */
  readonly input?: string;
  readonly facts?: JsonObject;
};

export type ResumeOptions = DriveOptions & {
  /** The skill as it is now; the stored one by default. A changed one is refused unless accepted. */
  readonly skill?: Skill;
  readonly acceptSkillChange?: boolean;
};
