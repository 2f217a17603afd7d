import type { Command } from 'commander';
import { createRuntime, exportRun, salvage, verifyRun, writeExport } from '@skillstate/runtime';
import { withStore } from '../context.ts';
import { nobody } from '../models.ts';
import { EXIT, issueLine, type Outcome, paint, print, printJson } from '../output.ts';

type Flags = { readonly db: string; readonly json?: boolean };

/** Reads a damaged database run by run, skips what cannot be read, and says so. */
async function salvageRun(db: string, run: string, folder: string): Promise<void> {
  const damaged = salvage(db);
  try {
    for (const found of damaged.runs) {
      if (found.run !== run) continue;
      const { payload, problems } = found;
      const { events } = await writeExport(
        { run, events: found.events(), state: found.state?.state ?? null, payload },
        folder,
      );
      print(`${folder}: ${events} events of ${run} could be read`);
      for (const problem of problems) print(`  lost: ${problem}`);
      return;
    }
    throw new Error(`no run ${run} can be read in ${db}`);
  } finally {
    damaged.close();
  }
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
      const report = await withStore(db, (store) =>
        verifyRun(store, run, head === undefined ? {} : { head }),
      );
      outcome.exit = report.ok ? EXIT.done : EXIT.error;
      if (json) return printJson(report);
      const { events, snapshots, payloads } = report;
      const proven = `${events} events chained and replayed, ${snapshots} snapshots agree, ${payloads.present} payloads whole, ${payloads.pruned} pruned`;
      print(`${report.ok ? paint('green', 'ok') : paint('red', 'broken')}  ${run}: ${proven}`);
      for (const issue of report.issues) print(`  ${issueLine(issue)}`);
      print(`head ${report.head.hash}  (keep it elsewhere: verify --head shows a lost tail)`);
    });
  program
    .command('export <run> <folder>')
    .description('write state.json and audit/events.jsonl')
    .option('--salvage', 'from a damaged database: what can still be read, and what is lost')
    .action(async (run: string, folder: string, _options: unknown, command: Command) => {
      const { db, salvage: damaged } = command.optsWithGlobals<Flags & { salvage?: boolean }>();
      if (damaged) return salvageRun(db, run, folder);
      const { events } = await withStore(db, (store) => exportRun(store, run, folder));
      print(`${folder}/state.json and ${folder}/audit/events.jsonl (${events} events)`);
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
        createRuntime({ store, model: nobody }).fork(run, Number(step), options),
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
          `${gone.payloads} payloads, ${gone.bytes} bytes removed${all ? ', and the run' : '; verify says "pruned" for them'}`,
        );
    });
}
