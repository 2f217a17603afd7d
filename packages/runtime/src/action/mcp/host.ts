import type { JsonObject } from '../../types.ts';

/** What a server asks a person in the middle of a call (elicitation): a message, and a JSON Schema of the answer. */
export type McpQuestion = { readonly server: string; readonly message: string; readonly schema: JsonObject };

export type McpAnswer =
  | { readonly action: 'accept'; readonly content: JsonObject }
  | { readonly action: 'decline' | 'cancel' };

/** What the host may lend to the connections; without it servers are told that there is no such thing. */
export type McpHost = {
  /** Answers a server's question: from a person or a policy of the host, never from the model. */
  readonly ask?: (question: McpQuestion) => Promise<McpAnswer>;
  /** In place of `fetch` for one HTTP server: OAuth, a proxy, a log. */
  readonly fetchFor?: (server: string) => (url: string | URL, init?: RequestInit) => Promise<Response>;
};
