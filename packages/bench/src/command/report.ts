import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PriceSheet } from '@skillstate/runtime';
import { Command } from 'commander';
import { type NamedPrices, sheetFor } from '../cost/sheet.ts';
import { readResults } from '../experiment/record.ts';
import { type Digest, digestEpisode } from '../report/digest.ts';
import { runCommand } from './run-command.ts';
import { renderDigests } from '../report/render.ts';
import { rowsOf } from '../report/rows.ts';
import { rowsText } from './bench-table.ts';
import { amount } from './numbers.ts';

type Flags = NamedPrices & { readonly pace?: number; readonly json?: boolean };

/** `skillstate bench report FOLDER`: the report of a kept bench once more, e.g. at other prices. */
export function reportCommand(args: readonly string[]): Promise<number> {
  const program = new Command('skillstate bench report')
    .description('write report.md and report.html of a folder with results.jsonl, and print its rows')
    .argument('<folder>')
    .option('--prices <model>', "prices, by provider:model; those of the first episode's model by default")
    .option('--sheet <file>', 'prices from this JSON file')
    .option('--pace <seconds>', 'between calls, in place of recorded times', amount)
    .option('--json', 'rows as JSON')
    .action(async (folder: string, { pace, json, ...named }: Flags) => {
      const file = join(folder, 'results.jsonl');
      const sheet = await sheetOfFile(file, named);
      const options = { sheet, ...(pace !== undefined && { paceMs: pace * 1_000 }) };
      const digests: Digest[] = [];
      for await (const result of readResults(file)) digests.push(digestEpisode(result, options));
      const report = renderDigests(digests, options);
      await writeFile(join(folder, 'report.md'), report.markdown);
      await writeFile(join(folder, 'report.html'), report.html);
      const rows = rowsOf(digests);
      process.stdout.write(json === true ? `${JSON.stringify({ rows }, null, 2)}\n` : rowsText(rows));
    });
  return runCommand(program, args);
}

async function sheetOfFile(file: string, named: NamedPrices): Promise<PriceSheet | null> {
  for await (const { model } of readResults(file)) return sheetFor(model.name, named);
  throw new Error(`${file} holds no episodes; name the folder that --out named`);
}
