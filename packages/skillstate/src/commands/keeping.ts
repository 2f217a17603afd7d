import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import {
  createRuntime,
  exportRun,
  isStoreError,
  salvage,
  type Store,
  verifyRun,
  writeExport,
} from '@skillstate/runtime';
import { needRun, withStore } from '../context.ts';
import { nobody } from '../models.ts';
import { EXIT, issueLine, type Outcome, paint, plural, print, printJson, stepNumber } from '../output.ts';

type Flags = { readonly db: string; readonly json?: boolean };

type Written = {
  readonly files: readonly string[];
  readonly events: number;
  readonly payloads: number;
  readonly lost: readonly string[];
};

/** Reads a damaged database run by run, skips what cannot be read, and says so. */
async function salvageRun(db: string, run: string, folder: string): Promise<Written> {
  if (!existsSync(db)) throw new Error(`there is no database ${db}; name it with --db`);
  const damaged = salvage(db);
  try {
    const seen: string[] = [];
    for (const found of damaged.runs) {
      seen.push(found.run);
      if (found.run !== run) continue;
      const { payload, problems, state } = found;
      const source = { run, events: found.events(), state: state?.state ?? null, payload };
      return { ...(await writeExport(source, folder)), lost: problems };
    }
    throw new Error(`no run ${run} can be read in ${db}; there are: ${seen.join(', ') || 'none'}`);
  } finally {
    damaged.close();
  }
}

/** A damaged run is for `verify` to describe. */
async function needRunUnlessDamaged(store: Store, run: string): Promise<void> {
  await needRun(store, run).catch((error: unknown) => {
    if (!isStoreError(error)) throw error;
  });
}

/** Verbs that prove, copy, branch and clear runs. */
export function addKeeping(program: Command, outcome: Outcome): void {
  program
    .command('verify <run>')
    .description('prove the log: hash chain, and that its deltas give the state')
    .option('--head <hash>', 'a head hash kept elsewhere: shows a lost tail')
    .option('--json', 'as JSON')
    .action(async (run: string, _options: unknown, command: Command) => {
      const { db, json, head } = command.optsWithGlobals<Flags & { head?: string }>();
      const report = await withStore(db, async (store) => {
        await needRunUnlessDamaged(store, run);
        return verifyRun(store, run, head === undefined ? {} : { head });
      });
      outcome.exit = report.ok ? EXIT.done : EXIT.error;
      if (json) return printJson(report);
      const { events, snapshots, payloads } = report;
      const proven = `${plural(events, 'event')} chained and replayed, ${plural(snapshots, 'snapshot')} agreed, ${plural(payloads.present, 'payload')} whole, ${payloads.pruned} pruned`;
      print(`${report.ok ? paint('green', 'ok') : paint('red', 'broken')}  ${run}: ${proven}`);
      for (const issue of report.issues) print(`  ${issueLine(issue)}`);
      print(`head ${report.head.hash}  (keep it elsewhere: verify --head shows a lost tail)`);
    });
  program
    .command('export <run> <folder>')
    .description('write state.json and audit/events.jsonl')
    .option('--salvage', 'from a damaged database: what can still be read, and what is lost')
    .option('--json', 'as JSON')
    .action(async (run: string, folder: string, _options: unknown, command: Command) => {
      const { db, json, salvage: damaged } = command.optsWithGlobals<Flags & { salvage?: boolean }>();
      const written = damaged
        ? await salvageRun(db, run, folder)
        : await withStore(db, async (store) => {
            await needRun(store, run);
            return { ...(await exportRun(store, run, folder)), lost: [] };
          });
      if (written.events === 0) outcome.exit = EXIT.error;
      if (json) return printJson({ run, folder, ...written });
      const files = written.files.map((file) => join(folder, file)).join(' and ');
      print(`${files}: ${plural(written.events, 'event')}, ${plural(written.payloads, 'payload')}`);
      for (const problem of written.lost) print(`  lost: ${problem}`);
    });
  program
    .command('fork <run> <step>')
    .description('a new run from the state after a step; resume it to drive it')
    .option('--live', 'let the fork run effects')
    .option('--as <id>', 'name of the new run')
    .option('--json', 'as JSON')
    .action(async (run: string, step: string, _options: unknown, command: Command) => {
      const { db, json, live, as } = command.optsWithGlobals<Flags & { live?: boolean; as?: string }>();
      const options = { live: live === true, ...(as === undefined ? {} : { run: as }) };
      const id = await withStore(db, (store) =>
        createRuntime({ store, model: nobody }).fork(run, stepNumber(step), options),
      );
      if (json) printJson({ run: id });
      else print(`${id}  (skillstate resume ${id} drives it)`);
    });
  program
    .command('prune <run>')
    .description('remove the payloads of a run, or a whole finished run')
    .option('--all', 'the whole run, not only its payloads')
    .option('--json', 'as JSON')
    .action(async (run: string, _options: unknown, command: Command) => {
      const { db, json, all } = command.optsWithGlobals<Flags & { all?: boolean }>();
      const gone = await withStore(db, (store) => store.prune(run, all ? 'run' : 'payloads'));
      if (json) printJson(gone);
      else
        print(
          `${plural(gone.payloads, 'payload')}, ${plural(gone.bytes, 'byte')} removed${all ? ', and the run' : '; verify says "pruned" for them'}`,
        );
    });
}
