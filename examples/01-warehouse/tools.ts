/** The warehouse as a tool. Its world lives in a file of its own, so it outlives a killed run. */
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { composeObservation, createWarehouse, END_OF_EPISODE } from '@skillstate/bench';
import type { Tool } from '@skillstate/runtime';

export const SEED = 42;
export const EVENTS = 50;

type Entry = { readonly key: string; readonly command: string; readonly text: string };

/** The first event of the episode: what the run is started with. */
export function firstEvent(): string {
  return createWarehouse({ seed: SEED, horizon: EVENTS }).environment.event(0);
}

/** What the world says of a run: how many of its commands were right. */
export function scoreOf(run: string): { readonly successful: number; readonly actionable: number } {
  const { truth } = reopen(run);
  return truth.score();
}

function worldFile(run: string): string {
  return join('.skillstate', 'worlds', `${run}.jsonl`);
}

function entriesOf(run: string): Entry[] {
  if (!existsSync(worldFile(run))) return [];
  const lines = readFileSync(worldFile(run), 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Entry);
}

/** The world as it was left: the same seed, and every command it was given, again. */
function reopen(run: string): ReturnType<typeof createWarehouse> {
  const episode = createWarehouse({ seed: SEED, horizon: EVENTS });
  for (const { command } of entriesOf(run)) episode.environment.act(command);
  return episode;
}

/** The tools of one run. A key that the world has met gives the recorded answer and changes nothing. */
export function openTools(run: string): Tool[] {
  const { environment } = reopen(run);
  const answers = new Map(entriesOf(run).map((entry) => [entry.key, entry.text]));
  mkdirSync(join('.skillstate', 'worlds'), { recursive: true });
  const act = (command: string, key: string): string => {
    const known = answers.get(key);
    if (known !== undefined) return known;
    if (environment.turn() >= environment.horizon) return END_OF_EPISODE;
    const result = environment.act(command).text;
    const next =
      environment.turn() < environment.horizon ? environment.event(environment.turn()) : END_OF_EPISODE;
    const text = composeObservation(result, next);
    appendFileSync(worldFile(run), `${JSON.stringify({ key, command, text } satisfies Entry)}\n`);
    answers.set(key, text);
    return text;
  };
  return [
    {
      name: 'act',
      description: 'Carry out one command in the warehouse; answers with what happened and the next event.',
      inputSchema: {
        type: 'object',
        properties: { command: { type: 'string', maxLength: 200 } },
        required: ['command'],
        additionalProperties: false,
      },
      outputSchema: null,
      readOnly: false,
      idempotent: false,
      destructive: false,
      timeoutMs: 5000,
      declaration: { key: { in: 'meta', name: 'key' } },
      run: ({ args, key }) => Promise.resolve({ status: 'ok', text: act(String(args['command']), key) }),
    },
  ];
}
