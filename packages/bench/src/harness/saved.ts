import { createWriteStream } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { once } from 'node:events';
import { emptyUsage, makeFolder, type ModelReply, promptText, sha256 } from '@skillstate/runtime';
import type { BenchModel, EpisodeModel } from './model.ts';

/** One model call of a saved episode, a line of `<episode key>.jsonl`: the prompt's hash, and all of the reply. */
type SavedCall = {
  readonly v: 1;
  readonly prompt: string;
  readonly at: number;
  readonly ms: number;
  readonly reply: ModelReply;
};

/** What must be known of a model before it is asked. */
export type ModelBase = Pick<BenchModel, 'facts' | 'mode' | 'dialect'>;

const BASE = 'model.json';

/** Makes the folder and keeps there which model plays. */
export async function saveBase(folder: string, { facts, mode, dialect }: ModelBase): Promise<void> {
  makeFolder(folder);
  await writeFile(join(folder, BASE), `${JSON.stringify({ v: 1, facts, mode, dialect }, null, 2)}\n`);
}

/** Which model played a saved bench. */
export async function savedBase(folder: string): Promise<ModelBase> {
  return JSON.parse(await readFile(join(folder, BASE), 'utf8')) as ModelBase;
}

/** The same model, keeping every reply in a folder that is there, so that the bench can be replayed without it. */
export function savingModel(inner: BenchModel, folder: string): BenchModel {
  return {
    ...inner,
    open: async (key) => savingEpisode(await inner.open(key), join(folder, `${key}.jsonl`)),
  };
}

function savingEpisode(inner: EpisodeModel, path: string): EpisodeModel {
  const file = createWriteStream(path);
  const started = performance.now();
  let took: { at: number; ms: number } | null = null;
  return {
    took: () => took,
    async ask(request, about) {
      const at = performance.now() - started;
      const reply = await inner.ask(request, about);
      took = { at: round(at), ms: round(performance.now() - started - at) };
      const line: SavedCall = {
        v: 1,
        prompt: sha256(promptText(request.prompt)),
        ...took,
        reply,
      };
      if (!file.write(`${JSON.stringify(line)}\n`)) await once(file, 'drain');
      return reply;
    },
    async close() {
      await inner.close();
      file.end();
      await once(file, 'close');
    },
  };
}

/** Saved replies in place of a model. A prompt that is not the saved one ends the episode: nothing is made up. */
export function replayedModel(base: ModelBase, folder: string): BenchModel {
  const { facts, mode, dialect } = base;
  return { facts, mode, dialect, open: (key) => replayedEpisode(join(folder, `${key}.jsonl`)) };
}

async function replayedEpisode(path: string): Promise<EpisodeModel> {
  const lines = await readFile(path, 'utf8').catch(() => '');
  const calls = lines.split('\n').filter((line) => line !== '');
  let next = 0;
  let took: { at: number; ms: number } | null = null;
  return {
    ask({ prompt }) {
      const line = calls[next];
      next += 1;
      if (line === undefined) return Promise.resolve(missing(`call ${next} is not in ${path}`));
      const saved = JSON.parse(line) as SavedCall;
      if (saved.prompt !== sha256(promptText(prompt)))
        return Promise.resolve(missing(`the prompt of call ${next} is not the saved one (${path})`));
      took = { at: saved.at, ms: saved.ms };
      return Promise.resolve(saved.reply);
    },
    took: () => took,
    close: () => Promise.resolve(),
  };
}

function missing(hint: string): ModelReply {
  const issue = { code: 'model.replay', path: '', hint } as const;
  return { ok: false, issue, temporary: false, usage: emptyUsage(), retries: [] };
}

const round = (ms: number): number => Math.round(ms * 1_000) / 1_000;
