import type { Json, Usage } from '../types.ts';

/** The part of an OpenTelemetry span that is used here. */
export interface SpanPort {
  setAttribute(name: string, value: string | number | boolean): unknown;
  setStatus(status: { code: number; message?: string }): unknown;
  end(): void;
}

/** The part of an OpenTelemetry tracer that is used here; any tracer of `@opentelemetry/api` is one. */
export interface TracerPort {
  startActiveSpan<T>(
    name: string,
    options: { kind?: number; attributes?: Record<string, string | number | boolean> },
    work: (span: SpanPort) => T,
  ): T;
}

/** What a piece of work tells its span. */
export type Span = {
  usage(usage: Usage): void;
  set(name: string, value: Json): void;
  fail(code: string): void;
};

/**
 * Spans of the GenAI semantic conventions: `invoke_agent {skill}` around a run, `chat {model}` around a call,
 * `execute_tool {tool}` around an action. Attributes hold names and numbers only, never prompt, reply or argument text.
 */
export type Spans = {
  run<T>(agent: string, run: string, work: (span: Span) => Promise<T>): Promise<T>;
  chat<T>(model: string, work: (span: Span) => Promise<T>): Promise<T>;
  tool<T>(tool: string, call: string, work: (span: Span) => Promise<T>): Promise<T>;
};

const ERROR = 2;
const KIND = { internal: 0, client: 2 } as const;

const attribute = {
  operation: 'gen_ai.operation.name',
  provider: 'gen_ai.provider.name',
  model: 'gen_ai.request.model',
  agent: 'gen_ai.agent.name',
  conversation: 'gen_ai.conversation.id',
  tool: 'gen_ai.tool.name',
  call: 'gen_ai.tool.call.id',
  input: 'gen_ai.usage.input_tokens',
  output: 'gen_ai.usage.output_tokens',
  cacheRead: 'gen_ai.usage.cache_read.input_tokens',
  cacheWrite: 'gen_ai.usage.cache_write.input_tokens',
  error: 'error.type',
} as const;

const silent: Span = { usage: () => undefined, set: () => undefined, fail: () => undefined };

/** null gives spans that do nothing. */
export function createSpans(tracer: TracerPort | null): Spans {
  return {
    run: (agent, run, work) =>
      within(tracer, `invoke_agent ${agent}`, KIND.internal, work, {
        [attribute.operation]: 'invoke_agent',
        [attribute.agent]: agent,
        [attribute.conversation]: run,
      }),
    chat: (model, work) => {
      const colon = model.indexOf(':');
      const [provider, name] = colon < 0 ? ['', model] : [model.slice(0, colon), model.slice(colon + 1)];
      return within(tracer, `chat ${name}`, KIND.client, work, {
        [attribute.operation]: 'chat',
        [attribute.provider]: provider,
        [attribute.model]: name,
      });
    },
    tool: (tool, call, work) =>
      within(tracer, `execute_tool ${tool}`, KIND.internal, work, {
        [attribute.operation]: 'execute_tool',
        [attribute.tool]: tool,
        [attribute.call]: call,
      }),
  };
}

type OpenTelemetryApi = {
  readonly trace: { getTracer(name: string, version: string): TracerPort };
};

// Named apart from the import, so that types and bundlers do not ask for an optional peer.
const api: string = '@opentelemetry/api';

/** The tracer of `@opentelemetry/api` where that optional peer is installed, else null. */
export async function loadTracer(
  name: string,
  version: string,
  load: () => Promise<unknown> = () => import(api),
): Promise<TracerPort | null> {
  try {
    const { trace } = (await load()) as OpenTelemetryApi;
    return trace.getTracer(name, version);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') return null;
    throw error;
  }
}

function within<T>(
  tracer: TracerPort | null,
  name: string,
  kind: number,
  work: (span: Span) => Promise<T>,
  attributes: Record<string, string | number | boolean>,
): Promise<T> {
  if (!tracer) return work(silent);
  return tracer.startActiveSpan(name, { kind, attributes }, async (span) => {
    try {
      return await work(port(span));
    } catch (error) {
      port(span).fail(error instanceof Error ? error.name : 'error');
      throw error;
    } finally {
      span.end();
    }
  });
}

function port(span: SpanPort): Span {
  return {
    usage(usage) {
      if (usage.source === 'none') return;
      span.setAttribute(attribute.input, usage.inputTokens);
      span.setAttribute(attribute.output, usage.outputTokens);
      span.setAttribute(attribute.cacheRead, usage.cacheReadTokens);
      span.setAttribute(attribute.cacheWrite, usage.cacheWriteTokens);
    },
    set(key, value) {
      if (typeof value !== 'object') span.setAttribute(key, value);
    },
    fail(code) {
      span.setAttribute(attribute.error, code);
      span.setStatus({ code: ERROR, message: code });
    },
  };
}
