import { access, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Issue, Result } from '@skillstate/runtime';
import type { CausalModel } from './causal.ts';

/** Optional peer of this package: several hundred megabytes with its runtime, loaded only where a model is named. */
const LIBRARY = '@huggingface/transformers';

/** Tokens read at once, whatever the model could: logits of a longer text take hundreds of megabytes. */
const MOST_TOKENS = 512;

/** The little that is used of the library (4.x). */
type Library = {
  readonly AutoTokenizer: { from_pretrained(name: string, options: object): Promise<Tokenizer> };
  readonly AutoModelForCausalLM: { from_pretrained(name: string, options: object): Promise<Network> };
  readonly Tensor: new (type: 'int64', data: BigInt64Array, dims: readonly number[]) => object;
};
type Tokenizer = {
  encode(text: string, options: { add_special_tokens: false }): number[];
  readonly bos_token_id?: number | null;
};
type Network = {
  (inputs: object): Promise<{ readonly logits: Logits }>;
  readonly config: { readonly [key: string]: unknown };
};
type Logits = { readonly dims: readonly number[]; readonly data: ArrayLike<number> };

/** Weights in the order of preference, as files of a model's folder are named. */
const WEIGHTS = {
  fp32: 'model.onnx',
  fp16: 'model_fp16.onnx',
  q8: 'model_quantized.onnx',
  q4: 'model_q4.onnx',
};

/** What an id of the hub looks like: `owner/name`, or a name alone. */
const HUB_ID = /^[\w-][\w.-]*(\/[\w-][\w.-]*)?$/;

/**
 * A causal language model through Transformers.js: a folder on disk (`config.json`, `tokenizer.json`, `onnx/model.onnx`),
 * of which nothing is downloaded, or else an id of the Hugging Face hub. The library is taken from where this package
 * finds it, else from where `cwd` does. Issues: `model.causal_library` (not installed, or it cannot be loaded),
 * `model.causal_unreadable` (not found, or not a causal model).
 */
export async function loadCausalModel(name: string, cwd = process.cwd()): Promise<Result<CausalModel>> {
  const install = `npm install ${LIBRARY}@4`;
  const file = resolved(import.meta.url) ?? resolved(join(cwd, 'package.json'));
  if (file === null) return refused('model.causal_library', `${LIBRARY} is not installed: ${install}`);
  let library: Library;
  try {
    library = await libraryIn(file);
  } catch (error) {
    const why = `${LIBRARY} is there and cannot be loaded: ${reasonOf(error)}`;
    return refused('model.causal_library', `${why}; install it again: ${install}`);
  }
  try {
    return { ok: true, value: await open(library, name, cwd) };
  } catch (error) {
    const why = `${name} is no causal model that can be read: ${reasonOf(error)}`;
    return refused('model.causal_unreadable', why);
  }
}

/** The first line: what follows are stacks and lists of places. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return (message.split('\n')[0] ?? '').slice(0, 300);
}

async function libraryIn(file: string): Promise<Library> {
  const module = (await import(pathToFileURL(file).href)) as Partial<Library> & {
    readonly default?: Library;
  };
  const library = module.AutoTokenizer === undefined ? module.default : (module as Library);
  if (library?.AutoModelForCausalLM === undefined) throw new Error('it has no AutoModelForCausalLM');
  return library;
}

function resolved(from: string): string | null {
  try {
    return createRequire(from).resolve(LIBRARY);
  } catch {
    return null;
  }
}

async function open(library: Library, name: string, cwd: string): Promise<CausalModel> {
  const folder = await folderOf(name, cwd);
  const dtype = folder === null ? 'q8' : await weightsIn(folder);
  const options = { dtype, device: 'cpu', local_files_only: folder !== null };
  const tokenizer = await library.AutoTokenizer.from_pretrained(folder ?? name, options);
  const network = await library.AutoModelForCausalLM.from_pretrained(folder ?? name, options);
  const { config } = network;
  const limit = [config['n_positions'], config['max_position_embeddings']].find(
    (value) => typeof value === 'number' && value >= 2,
  );
  const read = async (tokens: readonly number[]): Promise<Logits> => {
    const tensor = (values: readonly bigint[]): object =>
      new library.Tensor('int64', BigInt64Array.from(values), [1, values.length]);
    const input_ids = tensor(tokens.map(BigInt));
    const { logits } = await network({ input_ids, attention_mask: tensor(tokens.map(() => 1n)) });
    return logits;
  };
  const tokens = speller((text) => tokenizer.encode(text, { add_special_tokens: false }));
  const [probe = 0] = tokens('a');
  const vocabulary = (await read([probe])).dims.at(-1) ?? 0;
  if (vocabulary < 2) throw new Error('it gives no logits');
  return {
    name: `${name} (${dtype})`,
    window: Math.min(MOST_TOKENS, (limit as number | undefined) ?? MOST_TOKENS),
    vocabulary,
    start: tokenizer.bos_token_id ?? null,
    tokens,
    async bits(all, from) {
      const { data } = await read(all);
      return all.slice(from).map((token, i) => bitsOf(data, (from - 1 + i) * vocabulary, vocabulary, token));
    },
  };
}

/**
 * Tokens of words one by one, as they are within a text. A tokenizer that puts a space before every text by itself
 * (Llama's first) is not given a second one.
 */
export function speller(encode: (text: string) => readonly number[]): CausalModel['tokens'] {
  const same = (word: string): boolean =>
    JSON.stringify(encode('a a')) === JSON.stringify([...encode('a'), ...encode(word)]);
  return !same(' a') && same('a') ? (text) => encode(text.replace(/^ /, '')) : encode;
}

/** -log2 of the softmax of `vocabulary` logits from `from`, at `token`; shifted by the largest so that nothing overflows. */
export function bitsOf(logits: ArrayLike<number>, from: number, vocabulary: number, token: number): number {
  let most = -Infinity;
  for (let i = from; i < from + vocabulary; i++) most = Math.max(most, logits[i] as number);
  let sum = 0;
  for (let i = from; i < from + vocabulary; i++) sum += Math.exp((logits[i] as number) - most);
  return (Math.log(sum) + most - (logits[from + token] as number)) / Math.LN2;
}

/** The folder that a name is of; null: it is an id of the hub. A name that can only be a path and is none throws. */
async function folderOf(name: string, cwd: string): Promise<string | null> {
  const path = resolve(cwd, name);
  const there = await stat(path).catch(() => null);
  if (there?.isDirectory() === true) return path;
  if (there !== null || !HUB_ID.test(name)) throw new Error('there is no such folder');
  return null;
}

async function weightsIn(folder: string): Promise<string> {
  for (const [dtype, file] of Object.entries(WEIGHTS)) {
    const there = await access(join(folder, 'onnx', file)).then(
      () => true,
      () => false,
    );
    if (there) return dtype;
  }
  throw new Error(`${join(folder, 'onnx')} holds none of ${Object.values(WEIGHTS).join(', ')}`);
}

function refused(code: Issue['code'], hint: string): Result<CausalModel> {
  return { ok: false, issues: [{ code, path: '', hint }] };
}
