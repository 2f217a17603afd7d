import { defineSkill, type JsonObject, type Layout, type Skill } from '@skillstate/runtime';
import type { CtfMode } from '../episode.ts';

/** The tool that takes every command. */
export const BASH = 'bash';

const instructions = `# Find the flag

You are in a Linux shell and look for a hidden flag, usually of the form picoCTF{...}. The task is your first message; its files are
in the directory where you start. Each action is one command:

- a bash command, whose output is the next observation
- \`submit FLAG\`: scores the flag and tells whether it is right; after a wrong one you may go on
- \`skip\`: gives the task up

You have few actions. Look at what is there, form a hypothesis, test it, and do not repeat what has failed. Only a submitted
flag counts. Never finish and never wait in another way.`;

const inRuntimeMode = `Directory, files and what you write to /tmp stay between commands; variables do not. Where an output is too long, its end
names a handle: \`read_output HANDLE START\` shows more of it from byte START.`;

const inOriginalMode =
  'Only the directory and files stay between commands. A command is one line; long outputs are cut.';

/** The paper's five fields (section 5.5), for all tasks the same. */
const state: JsonObject = {
  type: 'object',
  properties: {
    discovered_flags: {
      type: 'array',
      items: { type: 'string', maxLength: 200 },
      maxItems: 10,
      'x-merge': 'union',
      description: 'Texts that may be the flag, as found.',
    },
    tested_hypotheses: {
      type: 'array',
      maxItems: 20,
      'x-merge': 'keyed',
      'x-key': 'hypothesis',
      'x-overflow': 'drop-oldest',
      items: {
        type: 'object',
        properties: {
          hypothesis: { type: 'string', maxLength: 200 },
          result: { type: 'string', maxLength: 300 },
        },
        required: ['hypothesis', 'result'],
      },
      description: 'What was tried, and what came of it.',
    },
    active_files: {
      type: 'array',
      items: { type: 'string', maxLength: 200 },
      maxItems: 20,
      'x-merge': 'union',
      'x-overflow': 'drop-oldest',
      description: 'Paths that still matter.',
    },
    working_dir: { type: 'string', maxLength: 300, description: 'The directory you are in.' },
    cmd_summary: {
      type: 'array',
      items: { type: 'string', maxLength: 300 },
      maxItems: 20,
      'x-merge': 'append',
      'x-overflow': 'drop-oldest',
      description: 'Each command in short, with what it showed.',
    },
  },
  required: ['discovered_flags', 'tested_hypotheses', 'active_files', 'working_dir', 'cmd_summary'],
};

const initial = {
  discovered_flags: [],
  tested_hypotheses: [],
  active_files: [],
  working_dir: '',
  cmd_summary: [],
};

/** Room for an output as the environment shows it: 4,000 bytes, escaped, and the line below it. */
const OBSERVATION_BYTES = 20 * 1024;

export type CtfSkillOptions = {
  readonly mode: CtfMode;
  readonly layout: Layout;
  readonly retries: number;
  readonly steps: number;
};

const made = new Map<string, Skill>();

/** The skill of InterCode CTF: a command string is the action. The same object for the same arguments. */
export function ctfSkill(options: CtfSkillOptions): Skill {
  const key = JSON.stringify(options);
  const skill = made.get(key) ?? define(options);
  made.set(key, skill);
  return skill;
}

function define({ mode, layout, retries, steps }: CtfSkillOptions): Skill {
  return defineSkill({
    name: 'intercode-ctf',
    description: 'Solves a capture-the-flag task in a shell.',
    instructions: `${instructions}\n\n${mode === 'runtime' ? inRuntimeMode : inOriginalMode}`,
    state,
    initial,
    dialect: 'merge',
    layout,
    actions: { command: BASH, functions: [BASH] },
    observation: { resultBytes: OBSERVATION_BYTES, messageBytes: OBSERVATION_BYTES },
    limits: { steps, rejections: retries + 1, noProgress: steps + 1 },
    done: 'false',
  });
}
