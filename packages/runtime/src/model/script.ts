import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type {
  Dialect,
  Issue,
  Model,
  ModelReply,
  ModelRequest,
  Prompt,
  ReplyMode,
  Result,
  Usage,
} from '../types.ts';
import { type CountTokens, countUsage, noUsage } from './usage.ts';

/** Reads nothing but the prompt's text. `call` counts this model's calls from 1; a resumed run starts at 1 again. */
export type ReplyFunction = (prompt: string, call: number) => string | Promise<string>;
export type Script = ReplyFunction | { readonly reply: ReplyFunction };

export type ScriptOptions = {
  readonly name: string;
  readonly mode?: ReplyMode;
  readonly dialect?: Dialect;
  /** Without it nothing is counted: `usage.source` is `none`. */
  readonly count?: CountTokens;
};

/** The bytes that a model reads: the parts joined by a blank line. */
export function promptText(prompt: Prompt): string {
  return prompt.map((part) => part.text).join('\n\n');
}

/**
 * A model that is a function from prompt text to reply text. In tool and structured mode the reply text is the
 * transition's JSON. A script that throws gives the issue `model.script`, never an exception.
 */
export function createScriptedModel(script: Script, options: ScriptOptions): Model {
  const reply = typeof script === 'function' ? script : script.reply.bind(script);
  const mode = options.mode ?? 'text';
  let call = 0;
  return {
    name: options.name,
    mode,
    dialect: options.dialect ?? 'merge',
    async ask(request: ModelRequest): Promise<ModelReply> {
      if (request.signal.aborted)
        return failed('model.aborted', 'the call was cancelled before it started', true);
      call += 1;
      try {
        const text = await reply(promptText(request.prompt), call);
        if (typeof text !== 'string') {
          return failed(
            'model.script',
            `${options.name} must reply with text, but replied ${typeof text}`,
            false,
          );
        }
        return answered(text, mode, await countUsage(request.prompt, text, options.count));
      } catch (error) {
        return failed('model.script', `${options.name} threw: ${messageOf(error)}`, false);
      }
    },
  };
}

/**
 * Imports a script file (`.ts`, `.js`, `.mjs`; Node strips the types). Its default export is a reply function or
 * `{reply}`. `path` is relative to `options.cwd` (the process's folder by default). The file runs as code: load only
 * what its user wrote.
 */
export async function loadScriptedModel(
  path: string,
  options: Partial<ScriptOptions> & { readonly cwd?: string } = {},
): Promise<Result<Model>> {
  const file = resolve(options.cwd ?? process.cwd(), path);
  const found = await stat(file).catch(() => null);
  if (found === null || !found.isFile()) {
    return refused('model.not_found', `no script at ${file}`);
  }
  const loaded = await importScript(file);
  if (!loaded.ok) return loaded;
  const { cwd: _, ...asked } = options;
  const value = createScriptedModel(loaded.value, { name: `script:${basename(file)}`, ...asked });
  return { ok: true, value };
}

async function importScript(file: string): Promise<Result<Script>> {
  try {
    const module = (await import(pathToFileURL(file).href)) as { readonly default?: unknown };
    if (isScript(module.default)) return { ok: true, value: module.default };
    return refused('model.script', `${file} must export default (prompt: string) => string, or {reply}`);
  } catch (error) {
    return refused('model.script', `${file} cannot be loaded: ${messageOf(error)}`);
  }
}

function isScript(value: unknown): value is Script {
  if (typeof value === 'function') return true;
  return typeof value === 'object' && value !== null && 'reply' in value && typeof value.reply === 'function';
}

function answered(text: string, mode: ReplyMode, usage: Usage): ModelReply {
  const inJson = mode !== 'text';
  return {
    ok: true,
    text: inJson ? '' : text,
    json: inJson ? text : null,
    calls: mode === 'tool' ? 1 : 0,
    finish: 'stop',
    usage,
    retries: [],
  };
}

function failed(code: Issue['code'], hint: string, temporary: boolean): ModelReply {
  return { ok: false, issue: { code, path: '', hint }, temporary, usage: noUsage, retries: [] };
}

function refused<T>(code: Issue['code'], hint: string): Result<T> {
  return { ok: false, issues: [{ code, path: '', hint }] };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
