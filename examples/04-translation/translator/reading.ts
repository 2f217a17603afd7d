/** Finds in the text of a prompt what the translator needs. Three forms: state, transcript, one article. */
import { type FaultPlan } from './faults.ts';
import { type Args, jsonOf, type Known, type Last, learn, type Plan } from './knowledge.ts';

const NOTHING: Last = { tool: '', args: {}, ok: true, text: '' };

function section(prompt: string, title: string): string {
  const from = prompt.lastIndexOf(`\n## ${title}\n`);
  if (from < 0) return '';
  const start = from + title.length + 5;
  const end = prompt.indexOf('\n## ', start);
  return prompt.slice(start, end < 0 ? undefined : end);
}

/** The names under `## Actions`. */
function toolNames(prompt: string): ReadonlySet<string> {
  return new Set([...prompt.matchAll(/^### ([a-z_]+)/gm)].map((match) => match[1] as string));
}

export function readState(prompt: string): Known {
  const state = jsonOf(/```json\n(.*)\n```/.exec(section(prompt, 'State'))?.[1] ?? '{}');
  const observation = section(prompt, 'Observation');
  const called = /^result of: (\S+) (\{.*)$/m.exec(observation);
  const quoted = [...observation.matchAll(/^\| (.*)$/gm)].map((match) => match[1]);
  const confirmed = { ...(state['verified_fr'] as object), ...(state['verified_empty'] as object) };
  return {
    step: Number(/^step: (\d+)/m.exec(observation)?.[1] ?? 0),
    articles: (state['articles'] ?? {}) as Plan,
    verified: new Set(Object.keys(confirmed)),
    last:
      called === null
        ? NOTHING
        : {
            tool: called[1] as string,
            args: jsonOf(called[2] as string),
            ok: /^status: ok/m.test(observation),
            text: quoted.join('\n'),
          },
    notices: section(prompt, 'Notices'),
    tools: toolNames(prompt),
    verifiedBy: /verified_fr[^\n]*only the runtime writes it/.test(prompt) ? 'runtime' : 'model',
  };
}

/** The transcript is read from its beginning at every step: a turn's own words (`Done: …`) and what its call gave. */
export function readTranscript(prompt: string, plan: FaultPlan): Known {
  const turns = prompt.split('\n## Turn ').slice(1);
  let articles: Plan = {};
  let last = NOTHING;
  for (const turn of turns) {
    articles = learn(articles, last, plan);
    for (const id of /^Done: (.+)$/m.exec(turn)?.[1]?.split(', ') ?? []) {
      const article = articles[id];
      if (article !== undefined) articles = { ...articles, [id]: { ...article, status: 'done' } };
    }
    last = lastOf(turn);
  }
  return {
    step: turns.length + 1,
    articles,
    verified: new Set(),
    last,
    notices: '',
    tools: toolNames(prompt),
    verifiedBy: 'none',
  };
}

function lastOf(turn: string): Last {
  const action = jsonOf(/```json\n(.*)\n```/.exec(turn)?.[1] ?? '{}')['action'] as
    | { tool: string; args: Args }
    | undefined;
  const observed = /^Observation \((ok|error)\): (.*)$/ms.exec(turn);
  return {
    tool: action?.tool ?? '',
    args: action?.args ?? {},
    ok: observed?.[1] === 'ok',
    text: (observed?.[2] ?? '').trim(),
  };
}

/** `Translate article ID:` and its paragraphs, each between `⟦Pn⟧` and `⟦/Pn⟧`. */
export function readArticle(
  prompt: string,
): { readonly id: string; readonly paragraphs: readonly string[] } | null {
  const asked = /^Translate article (\d+):$/m.exec(prompt);
  if (asked === null) return null;
  const paragraphs = [...prompt.matchAll(/⟦P\d+⟧([^⟦]*)⟦\/P\d+⟧/g)].map((match) => match[1] as string);
  return { id: asked[1] as string, paragraphs };
}
