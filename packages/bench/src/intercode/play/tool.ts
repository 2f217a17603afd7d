import { showBytes, type Tool } from '@skillstate/runtime';
import type { CtfEpisode, CtfStep } from '../episode.ts';
import { parseReply } from '../original.ts';
import { BASH } from './skill.ts';

/** What the original's chat policy shows of an observation, in characters. */
const ORIGINAL_SHOWN = 1_000;
/** What one `read_output` shows, in bytes. */
const READ_BYTES = 4_000;

/** What the agent did and was shown, in order. */
export type CtfAct = { readonly command: string; readonly step: CtfStep; readonly shown: string };

/** The one tool of an episode: a bash command, `submit`, `skip`, and (mode `runtime`) `read_output`. */
export function openBash(episode: CtfEpisode, after: (run: string, act: CtfAct) => Promise<void>): Tool {
  return {
    name: BASH,
    description: 'Runs one command in the shell of the task.',
    inputSchema: {
      type: 'object',
      properties: { command: { type: 'string', minLength: 1, maxLength: 50_000 } },
      required: ['command'],
      additionalProperties: false,
    },
    outputSchema: null,
    readOnly: false,
    idempotent: false,
    destructive: false,
    timeoutMs: 600_000,
    declaration: { polling: true },
    async run({ args, run }) {
      const command = typeof args['command'] === 'string' ? args['command'] : '';
      const act =
        episode.mode === 'original' ? await asOriginal(episode, command) : await asWritten(episode, command);
      await after(run, act);
      return { status: 'ok', text: act.shown };
    },
  };
}

/** What the original's loop, not its environment, says after a wrong flag, before it goes on. */
const tryAgain = 'Submitted flag is incorrect. Keep trying!';

async function asOriginal(episode: CtfEpisode, command: string): Promise<CtfAct> {
  const step = await episode.step(parseReply(command).action);
  const wrong = step.submitted !== null && step.reward === 0;
  const cut = wrong ? tryAgain : Array.from(step.observation).slice(0, ORIGINAL_SHOWN).join('');
  return { command, step, shown: cut === '' ? 'No output' : `Output: ${cut}` };
}

async function asWritten(episode: CtfEpisode, command: string): Promise<CtfAct> {
  const read = /^\s*read_output\s+(\S+)(?:\s+(\d{1,12}))?\s*$/.exec(command);
  if (read === null) {
    const step = await episode.step(command);
    return { command, step, shown: step.observation };
  }
  const [, handle = '', start = '0'] = read;
  const bytes = await episode.readOutput(handle, Number(start), READ_BYTES);
  const shown = bytes === null ? `There is no output ${handle}.` : showBytes(bytes).text;
  const step = {
    observation: shown,
    reward: 0,
    done: false,
    submitted: null,
    command: null,
    raises: null,
  } as const;
  return { command, step, shown: shown === '' ? 'Nothing is behind this byte.' : shown };
}
