/** What the arms without this runtime stand on: the MCP client as it is, and tools as prompt text. */
import { setTimeout as pause } from 'node:timers/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Prompt, ReplyFunction } from '@skillstate/runtime';
import { promptText } from '@skillstate/runtime';
import type { Action } from '../translator/decide.ts';

export type Called = { readonly ok: boolean; readonly text: string };
export type OfferedTool = {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: object;
};
export type BareCms = {
  readonly tools: readonly OfferedTool[];
  call(action: Action): Promise<Called>;
  close(): Promise<void>;
};

/** Waits as long as a 429 says and sends again, as any HTTP client of a loop would. */
async function patientFetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await fetch(input, init);
  if (response.status !== 429) return response;
  await pause(1000 * Number(response.headers.get('retry-after') ?? 1));
  return patientFetch(input, init);
}

export async function openBare(url: string): Promise<BareCms> {
  const client = new Client({ name: 'bare', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { fetch: patientFetch }));
  const { tools } = await client.listTools();
  return {
    tools: tools.map(({ name, description = '', inputSchema }) => ({ name, description, inputSchema })),
    async call({ tool, args }) {
      const result = await client.callTool({ name: tool, arguments: { ...args } });
      const [first] = result.content;
      return { ok: result.isError !== true, text: first?.type === 'text' ? first.text : '' };
    },
    close: () => client.close(),
  };
}

/** Every prompt that was sent, for the bill. */
export type Sent = { readonly prompt: Prompt; readonly at: number }[];

export async function askModel(model: ReplyFunction, prompt: Prompt, sent: Sent): Promise<string> {
  sent.push({ prompt, at: Date.now() });
  return model(promptText(prompt), sent.length);
}

export function toolsText(tools: readonly OfferedTool[]): string {
  const lines = [...tools]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(
      ({ name, description, inputSchema }) =>
        `### ${name}\n${description}\nargs: ${JSON.stringify(inputSchema)}`,
    );
  return `## Actions\n${lines.join('\n')}\n### finish\nEnd the run.\nargs: {"type":"object","properties":{"summary":{"type":"string"}}}`;
}

export type Reply = { readonly action: Action; readonly state_patch?: Readonly<Record<string, unknown>> };

export function parseReply(text: string): Reply {
  return JSON.parse(/```json\n(.*)\n```/.exec(text)?.[1] ?? '{}') as Reply;
}
