import { Command } from 'commander';
import { whole as positive } from '../command/numbers.ts';
import { dollars, fixed, NONE, percent, whole } from '../report/format.ts';
import { runCommand } from '../command/run-command.ts';
import { terminalTable } from '../report/terminal.ts';
import { type NamedPrices, sheetFor } from '../cost/sheet.ts';
import { scanTranscripts } from './scan.ts';
import { type Compared, summariseScan, type TranscriptSummary } from './summarise.ts';

type Flags = NamedPrices & { readonly minTurns: number; readonly state?: number; readonly json?: boolean };

/** `skillstate transcripts DIR`. Resolves with the exit code. */
export function transcriptsMain(args: readonly string[]): Promise<number> {
  const program = new Command('skillstate transcripts')
    .description('counters over local agent transcripts (Claude Code, Codex); no content is kept or printed')
    .argument('<dir>', 'folder that is searched for .jsonl files')
    .option('--min-turns <n>', 'only sessions of at least this many calls', positive, 30)
    .option(
      '--state <tokens>',
      "compare with a prompt of this size; by default each session's own first prompts",
      positive,
    )
    .option('--prices <model>', 'for models whose prices are not known, by provider:model')
    .option('--sheet <file>', 'for the same, from this JSON file')
    .option('--json', 'as JSON')
    .action(async (dir: string, { minTurns, state, json, ...named }: Flags) => {
      const otherwise = await sheetFor('', named);
      const scan = await scanTranscripts(dir, progress());
      const summary = summariseScan(scan, { minTurns, constant: state ?? null, otherwise });
      process.stdout.write(`${json === true ? JSON.stringify(summary, null, 2) : summaryText(summary)}\n`);
    });
  return runCommand(program, args);
}

function progress(): (files: number) => void {
  if (!process.stderr.isTTY) return () => {};
  return (files) => {
    if (files % 50 === 0) process.stderr.write(`\r${files} files read`);
  };
}

/** The counters for people. */
export function summaryText(summary: TranscriptSummary): string {
  const { constant, minTurns } = summary;
  const base =
    constant === null ? "the median of each session's first five prompts" : `${whole(constant)} tokens`;
  const lines = [
    `${whole(summary.files)} files, ${whole(summary.lines)} lines (${whole(summary.badLines)} bad), ${whole(summary.symlinks)} symbolic links not followed, ${whole(summary.unreadable)} unreadable`,
    `${whole(summary.sessions)} sessions of at least ${minTurns} calls: ${whole(summary.turns)} calls, ${whole(summary.promptTokens)} prompt tokens`,
    `median prompt ${whole(summary.medianMeanPrompt)} tokens a call, ${percent(summary.medianCacheShare)} of it read from the cache`,
    `${whole(summary.drops)} drops of more than half (compaction or a cleared transcript)`,
    `median cost in prompt tokens: ${fixed(summary.medianTimes)} times a prompt of constant size (${base})`,
    usdLine(summary),
  ];
  if (summary.longest.length === 0) return lines.join('\n');
  const head = [
    'longest sessions',
    'calls',
    'prompt tokens',
    'mean',
    'largest',
    'drops',
    'cached',
    'times',
    'USD',
    'constant',
  ];
  return [...lines, '', terminalTable(head, summary.longest.map(sessionRow))].join('\n');
}

function usdLine({ usd, constantUsd, unpriced }: TranscriptSummary): string {
  if (usd === null) return `USD: ${NONE} (no prices are known for these models; name some with --prices)`;
  const left = unpriced === 0 ? '' : `; ${unpriced} sessions without known prices left out`;
  return `USD by list prices: ${dollars(usd)}; a constant prompt with nothing cached: ${dollars(constantUsd)}${left}`;
}

function sessionRow(session: Compared): string[] {
  const { source, model, subagent } = session;
  return [
    `${source} ${model}${subagent ? ' (sub-agent)' : ''}`,
    whole(session.turns),
    whole(session.promptTokens),
    whole(session.meanPrompt),
    whole(session.maxPrompt),
    whole(session.drops),
    percent(session.cacheShare),
    fixed(session.times),
    dollars(session.usd),
    dollars(session.constantUsd),
  ];
}
