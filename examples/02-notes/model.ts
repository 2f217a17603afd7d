/** A scripted model for the notes: it reads the state and the latest observation from the prompt's text, nothing else. */
type Task = { note: string; open: string[] };
type State = { folder: string; phase: string; to_read: string[]; tasks: Task[] };
type Decision = { patch: object; tool: string; args?: object };

export default function reply(prompt: string): string {
  const state = JSON.parse(/```json\n([\s\S]*?)\n```/.exec(section(prompt, 'State'))?.[1] ?? '{}') as State;
  const { patch, tool, args = {} } = decide(state, section(prompt, 'Observation'));
  return `\`\`\`json\n${JSON.stringify({ state_patch: patch, action: { tool, args } })}\n\`\`\``;
}

function section(prompt: string, title: string): string {
  const from = prompt.lastIndexOf(`\n## ${title}\n`);
  return from < 0 ? '' : (prompt.slice(from).split('\n## ')[1] ?? '');
}

/** The text that the last action gave: the quoted lines. */
function quoted(observation: string): string[] {
  return observation
    .split('\n')
    .flatMap((line) => (line.startsWith('| ') ? [line.slice(2)] : line === '|' ? [''] : []));
}

function decide(state: State, observation: string): Decision {
  const lines = quoted(observation);
  switch (state.phase) {
    case 'list': {
      if (state.folder === '') {
        const folder = /in (\S+)$/.exec(lines.join('\n'))?.[1] ?? '';
        return { patch: { folder }, tool: 'list_directory', args: { path: folder } };
      }
      const notes = lines
        .flatMap((line) => /^\[FILE\] (.+\.md)$/.exec(line)?.[1] ?? [])
        .filter((note) => note !== 'REPORT.md');
      return readNext(state, notes.sort(), {});
    }
    case 'read': {
      const [note = '', ...rest] = state.to_read;
      const open = lines.flatMap((line) => /^- \[ \] (.+)$/.exec(line)?.[1] ?? []);
      return readNext(state, rest, open.length === 0 ? {} : { tasks: [{ note, open }] });
    }
    case 'report':
      return {
        patch: { phase: 'check' },
        tool: 'read_text_file',
        args: { path: `${state.folder}/REPORT.md` },
      };
    default: {
      const all = state.tasks.every((task) => task.open.every((line) => lines.includes(`- ${line}`)));
      if (all)
        return {
          patch: { phase: 'done' },
          tool: 'finish',
          args: { summary: `report of ${state.tasks.length} notes` },
        };
      return writeReport(state, {});
    }
  }
}

/** Reads the first note of the list, or writes the report where none is left. */
function readNext(state: State, toRead: string[], patch: { tasks?: Task[] }): Decision {
  if (toRead.length > 0)
    return {
      patch: { ...patch, phase: 'read', to_read: toRead },
      tool: 'read_text_file',
      args: { path: `${state.folder}/${toRead[0]}` },
    };
  return writeReport(
    { ...state, tasks: [...state.tasks, ...(patch.tasks ?? [])] },
    { ...patch, to_read: [] },
  );
}

function writeReport(state: State, patch: object): Decision {
  const parts = [...state.tasks]
    .sort((a, b) => (a.note < b.note ? -1 : 1))
    .map(({ note, open }) => `## ${note}\n\n${open.map((line) => `- ${line}`).join('\n')}\n`);
  const content = `# Open tasks\n\n${parts.join('\n')}`;
  return {
    patch: { ...patch, phase: 'report' },
    tool: 'write_file',
    args: { path: `${state.folder}/REPORT.md`, content },
  };
}
