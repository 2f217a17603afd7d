/** The counters of one model call; nothing else of a line is kept. */
export type TurnCounters = {
  readonly source: 'claude-code' | 'codex';
  /** Equal for lines that tell of the same call; '' where the line does not say. */
  readonly id: string;
  /** Separates a sub-agent's calls from its parent's in one file. */
  readonly chain: string;
  readonly model: string;
  /** All input: fresh, written to and read from the cache. */
  readonly prompt: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
};

type Fields = { readonly [key: string]: unknown };

/** What one parsed line says of a call. null: nothing. Throws RangeError where its counters are no counts. */
export function readTurn(line: unknown, model: string): TurnCounters | null {
  if (!isFields(line)) return null;
  const { message, payload } = line;
  if (isFields(message) && isFields(message['usage'])) return claudeTurn(line, message, message['usage']);
  if (isFields(payload) && payload['type'] === 'token_count' && isFields(payload['info']))
    return codexTurn(payload['info'], model);
  return null;
}

/** The model of the calls that follow, where a Codex line names one. */
export function readModel(line: unknown): string | null {
  if (!isFields(line) || line['type'] !== 'turn_context' || !isFields(line['payload'])) return null;
  return shortText(line['payload']['model']);
}

/** Anthropic's counters exclude each other. Streamed parts of one message repeat its id; the last is complete. */
function claudeTurn(line: Fields, message: Fields, usage: Fields): TurnCounters | null {
  const cacheRead = count(usage, 'cache_read_input_tokens');
  const cacheWrite = count(usage, 'cache_creation_input_tokens');
  const prompt = count(usage, 'input_tokens') + cacheRead + cacheWrite;
  if (prompt === 0) return null;
  const chain = line['isSidechain'] === true ? `side ${shortText(line['agentId'])}` : 'main';
  return {
    source: 'claude-code',
    id: shortText(message['id']),
    chain,
    model: shortText(message['model']),
    prompt,
    cacheRead,
    cacheWrite,
    output: count(usage, 'output_tokens'),
  };
}

/** OpenAI's cached tokens are part of the input. `total_token_usage` grows; a repeated event repeats it. */
function codexTurn(info: Fields, model: string): TurnCounters | null {
  const { last_token_usage: last, total_token_usage: total } = info;
  if (!isFields(last)) return null;
  const prompt = count(last, 'input_tokens');
  if (prompt === 0) return null;
  const id = isFields(total)
    ? ['input_tokens', 'output_tokens'].map((key) => count(total, key)).join('/')
    : '';
  return {
    source: 'codex',
    id,
    chain: 'main',
    model,
    prompt,
    cacheRead: Math.min(prompt, count(last, 'cached_input_tokens')),
    cacheWrite: 0,
    output: count(last, 'output_tokens'),
  };
}

const MOST_TOKENS = 1e12;

function count(fields: Fields, key: string): number {
  const value = fields[key] ?? 0;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MOST_TOKENS)
    return value;
  throw new RangeError(`${key} is no count of tokens`);
}

/** A name from a file: short and without anything that a terminal would obey. */
function shortText(value: unknown): string {
  if (typeof value !== 'string') return '';
  return value.slice(0, 80).replace(/[^\w.:@/+-]/g, '?');
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
