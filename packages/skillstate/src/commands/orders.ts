import { userInfo } from 'node:os';
import type { Command } from 'commander';
import { createRuntime, type InboxItem, type JsonObject, parseJson, type Store } from '@skillstate/runtime';
import { needRun, withStore } from '../context.ts';
import { nobody } from '../models.ts';
import { IssuesError, type Outcome, print, printJson } from '../output.ts';

type Common = { readonly db: string; readonly json?: boolean; readonly who: string; readonly why: string };
type Kind = Exclude<InboxItem['kind'], 'message'>;

/** Verbs by which people reach a run from outside; each is queued durably and carried out by the run's driver. */
export function addOrders(program: Command, _outcome: Outcome): void {
  program
    .command('send <run> <text>')
    .description('queue an outside message; it becomes part of the next observation')
    .option('--from <name>', 'who sends it; "user" is the person the run works for', 'user')
    .option('--json', 'print the queued item as JSON')
    .action(async (run: string, text: string, _options: unknown, command: Command) => {
      const { db, from, json } = command.optsWithGlobals<Common & { from: string }>();
      const id = await withStore(db, (store) =>
        createRuntime({ store, model: nobody }).send(run, text, from),
      );
      if (json) printJson({ run, id });
      else print(`message ${id} is queued for ${run}`);
    });
  order(
    program,
    'set <run> <patch>',
    'change user-owned fields of the state, as a JSON merge patch',
    (patch) => {
      const parsed = parseJson(patch ?? '');
      if (!parsed.ok) throw new IssuesError('the patch is no JSON:', parsed.issues);
      return ['set', { patch: parsed.value }];
    },
  );
  order(program, 'cancel <run>', 'end the run between two steps', () => ['cancel', {}]);
  order(program, 'pause <run>', 'stop driving the run between two steps; resume goes on', () => [
    'pause',
    {},
  ]);
  for (const kind of ['approve', 'deny'] as const)
    order(
      program,
      `${kind} <run>`,
      `${kind} the call that waits for a person`,
      (_, { hash }) => [kind, { hash: hash ?? '' }],
      (command) =>
        command.requiredOption(
          '--hash <hash>',
          'hash of the call, as `skillstate show` prints it (8 characters or more)',
        ),
    );
  order(
    program,
    'settle <run> <call>',
    'say whether an effect of unknown outcome happened',
    (call, { happened, notHappened }) => {
      if ((happened === true) === (notHappened === true))
        throw new Error('say one of --happened and --not-happened');
      return ['settle', { call: call ?? '', happened: happened === true }];
    },
    (command) => command.option('--happened').option('--not-happened'),
  );
}

type Flags = { readonly hash?: string; readonly happened?: boolean; readonly notHappened?: boolean };

function order(
  program: Command,
  usage: string,
  description: string,
  read: (argument: string | undefined, flags: Flags) => [Kind, JsonObject],
  more: (command: Command) => Command = (command) => command,
): void {
  more(program.command(usage).description(description))
    .option('--who <name>', 'who gives the order', userInfo().username)
    .option('--why <text>', 'the reason, kept in the log', '')
    .option('--json', 'print the queued order as JSON')
    .action(async (...args: unknown[]) => {
      const command = args.at(-1) as Command;
      const [run, argument] = command.args as [string, string?];
      const { db, who, why, json, ...flags } = command.optsWithGlobals<Common & Flags>();
      const [kind, body] = read(argument, flags);
      const { id, done, refusal } = await withStore(db, async (store) => {
        const runtime = createRuntime({ store, model: nobody });
        const before = (await needRun(store, run)).head.seq;
        const queued = await runtime.order(run, kind, who, { ...body, why });
        const obeyed = await runtime.obey(run);
        return { id: queued, done: obeyed, refusal: obeyed ? await refusalOf(store, run, before + 1) : null };
      });
      if (refusal !== null) throw new Error(`${kind} was ${refusal}`);
      if (json) printJson({ run, id, kind, done });
      else
        print(
          done
            ? `${kind}: done for ${run}`
            : `${kind} is queued; the process that drives ${run} takes it between two steps`,
        );
    });
}

/** Why an order was not carried out; the log has it as a change of nothing. */
async function refusalOf(store: Store, run: string, from: number): Promise<string | null> {
  for await (const event of store.events(run, { from, types: ['state.set'] }))
    if (event.type === 'state.set' && event.delta.length === 0 && event.why.startsWith('refused: '))
      return event.why;
  return null;
}
