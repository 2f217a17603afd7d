import type { EpisodeResult } from '../harness/result.ts';
import { buildReport, type ReportOptions } from './build.ts';
import { type Digest, digestEpisode } from './digest.ts';
import { toHtml } from './to-html.ts';
import { toMarkdown } from './to-markdown.ts';

export type Report = { readonly markdown: string; readonly html: string };

/**
 * The report on a bench: our tables next to the paper's, plots, statistics and cost. A pure function of its arguments:
 * the same results give the same bytes. All names in the results are treated as untrusted text. Cost columns and plots
 * by step need results with their calls.
 */
export function renderReport(results: readonly EpisodeResult[], options: ReportOptions = {}): Report {
  return renderDigests(
    results.map((result) => digestEpisode(result, options)),
    options,
  );
}

/** The same from results that come one at a time, e.g. from a file: only a few numbers a step are kept of each. */
export async function renderReportOf(
  results: AsyncIterable<EpisodeResult>,
  options: ReportOptions = {},
): Promise<Report> {
  const digests: Digest[] = [];
  for await (const result of results) digests.push(digestEpisode(result, options));
  return renderDigests(digests, options);
}

/** The same from what was kept of results. */
export function renderDigests(digests: readonly Digest[], options: ReportOptions): Report {
  const title = options.title ?? 'SkillExecBench';
  const blocks = buildReport(digests, options);
  return { markdown: toMarkdown(title, blocks), html: toHtml(title, blocks) };
}
