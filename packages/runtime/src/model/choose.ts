import type { Issue, Model, Result } from '../types.ts';
import { type AiSdkOptions, checkAiSdkModel, createAiSdkModel } from './ai-sdk.ts';
import { loadScriptedModel } from './script.ts';

export type ModelSettings = Omit<AiSdkOptions, 'provider' | 'model' | 'name' | 'baseURL' | 'server'> & {
  /** Where relative script paths start; default: the process's folder. */
  readonly cwd?: string;
};

type Place = Pick<AiSdkOptions, 'provider' | 'server'> & { readonly url: string | null };

/** The word before the first colon, and where its models live. `url: null`: the package's own address. */
const places: Readonly<Record<string, Place>> = {
  openai: { provider: 'openai', url: null },
  anthropic: { provider: 'anthropic', url: null },
  google: { provider: 'google', url: null },
  ollama: { provider: 'compatible', server: 'ollama', url: 'http://127.0.0.1:11434/v1' },
  'llama.cpp': { provider: 'compatible', server: 'llama.cpp', url: 'http://127.0.0.1:8080/v1' },
  vllm: { provider: 'compatible', server: 'vllm', url: 'http://127.0.0.1:8000/v1' },
  compatible: { provider: 'compatible', server: 'other', url: '' },
};

const forms = 'openai:MODEL, anthropic:MODEL, google:MODEL, ollama:MODEL, compatible:MODEL@URL, script:FILE';

/**
 * The model that a name like `openai:gpt-5-mini`, `ollama:qwen3:8b`, `compatible:qwen@http://localhost:8080/v1` or
 * `script:./warehouse.ts` stands for. Any provider takes `@URL` behind the model. A missing key, package or file is
 * an issue here, before a run starts.
 */
export async function parseModelName(name: string, settings: ModelSettings = {}): Promise<Result<Model>> {
  const colon = name.indexOf(':');
  const [word, rest] = colon < 0 ? [name, ''] : [name.slice(0, colon), name.slice(colon + 1)];
  if (word === 'script') return script(name, rest, settings);
  const place = Object.hasOwn(places, word) ? places[word] : undefined;
  if (!place) return refuse('model.name', `"${word}" is no model provider; write one of ${forms}`);
  const at = rest.lastIndexOf('@http');
  const model = at < 0 ? rest : rest.slice(0, at);
  const url = at < 0 ? place.url : rest.slice(at + 1);
  if (model === '') return refuse('model.name', `${word} needs a model's name: ${word}:MODEL`);
  if (url === '')
    return refuse('model.name', `${word} needs a base URL: ${word}:${model}@http://localhost:8080/v1`);
  if (url !== null && !URL.canParse(url)) return refuse('model.name', `the base URL behind @ is no URL`);
  const { cwd: _, ...rested } = settings;
  const { provider, server } = place;
  const options: AiSdkOptions = {
    ...rested,
    provider,
    model,
    name: `${word}:${model}`,
    ...(server ? { server } : {}),
    ...(url === null ? {} : { baseURL: url }),
  };
  const stopped = await checkAiSdkModel(options);
  return stopped ? { ok: false, issues: [stopped] } : { ok: true, value: createAiSdkModel(options) };
}

function script(
  name: string,
  path: string,
  { cwd, count, mode, dialect }: ModelSettings,
): Promise<Result<Model>> {
  if (path === '') return Promise.resolve(refuse('model.name', 'script needs a file: script:./model.ts'));
  return loadScriptedModel(path, {
    name,
    ...(cwd ? { cwd } : {}),
    ...(count ? { count } : {}),
    ...(mode && mode !== 'auto' ? { mode } : {}),
    ...(dialect && dialect !== 'auto' ? { dialect } : {}),
  });
}

function refuse(code: Issue['code'], hint: string): Result<Model> {
  return { ok: false, issues: [{ code, path: '', hint }] };
}
