import type { JsonObject, Tool, ToolCall, ToolResult, ToolSpec } from '@skillstate/runtime';
import { findTool, isFailure, respondAction, type TauAction } from '../call.ts';
import type { TauEnvironment, TauStep } from '../environment.ts';
import type { TauDomain } from '../load.ts';
import { dictFromPlain, type PyDict, toPlain } from '../python/value.ts';
import { transferTool } from '../tool.ts';

const made = new WeakMap<TauDomain, readonly ToolSpec[]>();

/** The domain's tools with the schemas of the data, and `respond`. The same objects for the same domain. */
export function tauToolSpecs(domain: TauDomain): readonly ToolSpec[] {
  const specs = made.get(domain) ?? [...domain.toolSchemas.map((schema) => specOf(domain, schema)), respond];
  made.set(domain, specs);
  return specs;
}

const common = { outputSchema: null, idempotent: false, destructive: false, timeoutMs: 600_000 } as const;
/** Steps are the only limit, the same in every arm: a repeated call is not held up. */
const declaration = { polling: true } as const;

const respond: ToolSpec = {
  ...common,
  name: respondAction,
  description: "Say something to the user; the result is the user's answer.",
  inputSchema: {
    type: 'object',
    properties: { content: { type: 'string', minLength: 1, maxLength: 8000 } },
    required: ['content'],
    additionalProperties: false,
  },
  readOnly: false,
  declaration,
};

function specOf(domain: TauDomain, schema: PyDict): ToolSpec {
  const plain = toPlain(schema) as { function?: Described } & Described;
  const { name, description, parameters } = plain.function ?? plain;
  const effect = findTool(domain.name, name)?.effect ?? 'write';
  const readOnly = effect !== 'write' && name !== transferTool;
  return { ...common, name, description, inputSchema: parameters, readOnly, declaration };
}

type Described = { name: string; description: string; parameters: JsonObject };

/** Called after every step of the environment; a rejection is the environment's or the user's own failure. */
export type AfterStep = (run: string, step: TauStep) => Promise<void>;

/** The tools of one episode. A call is one step of the environment; what it throws goes to `failed`, and ends the episode. */
export function openTauTools(
  domain: TauDomain,
  environment: TauEnvironment,
  after: AfterStep,
  failed: (run: string, error: unknown) => Promise<void>,
): readonly Tool[] {
  const perform = async ({ args, run }: ToolCall, name: string): Promise<ToolResult> => {
    const action: TauAction = { name, kwargs: dictFromPlain(args) };
    try {
      const step = await environment.step(action);
      await after(run, step);
      const text = step.observation ?? `Error: ${step.raises ?? 'no observation'}`;
      return { status: name !== respondAction && isFailure(text) ? 'error' : 'ok', text };
    } catch (error) {
      await failed(run, error);
      return { status: 'error', text: 'the conversation broke off' };
    }
  };
  return tauToolSpecs(domain).map((spec) => ({ ...spec, run: (call: ToolCall) => perform(call, spec.name) }));
}
