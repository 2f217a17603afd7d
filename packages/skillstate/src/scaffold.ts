import { writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { makeFolder } from '@skillstate/runtime';

const NAME = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/** Writes a new skill folder; refuses a name that is no skill name and never overwrites a file. */
export async function scaffold(folder: string): Promise<string[]> {
  const name = basename(resolve(folder));
  if (!NAME.test(name) || name.length > 64)
    throw new Error(`${name} is no skill name: use 1 to 64 lower-case letters, digits and single hyphens`);
  makeFolder(folder);
  const files = { 'SKILL.md': skillText(name), 'SKILL.state.yaml': STATE };
  const written: string[] = [];
  for (const [file, text] of Object.entries(files)) {
    const path = join(folder, file);
    await writeFile(path, text, { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') throw new Error(`${path} is there already; nothing was overwritten`);
      throw error;
    });
    written.push(path);
  }
  return written;
}

function skillText(name: string): string {
  return `---
name: ${name}
description: Say in one sentence what this skill does and when to use it.
---
# ${name}

1. Say what to do first.
2. Say how to tell that a step is right.
3. Finish when everything in the state is done.
`;
}

const STATE = `# The state contract: what a run remembers (Σ), may do, and must confirm.
# Every field is bounded, so the largest possible prompt is known before a run starts.
state:
  properties:
    task: {type: string, maxLength: 500}          # what was asked, word for word
    constraints:                                  # rules that must hold to the end
      type: array
      x-merge: union
      maxItems: 20
      items: {type: string, maxLength: 300}
    progress: {type: string, maxLength: 200}      # where the work is
    open:                                         # what is left, one record each
      type: array
      x-merge: keyed
      x-key: id
      maxItems: 50
      items:
        properties:
          id: {type: string, maxLength: 64}
          status: {enum: [open, done]}
        required: [id, status]
    notes: {type: string, x-max-bytes: 2000}      # facts whose use is not known yet
  required: [task, constraints, progress, open, notes]
initial: {task: "", constraints: [], progress: not started, open: [], notes: ""}

# What it may do: tool servers (MCP), functions of the host, files, a shell.
actions:
  servers: {}

# finish is refused until this holds (CEL).
done: "state.open.all(item, item.status == 'done')"

limits:
  steps: 200
  rejections: 4
`;
