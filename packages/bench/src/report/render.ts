import type { EpisodeResult } from '../harness/result.ts';
import { buildReport, type ReportOptions } from './build.ts';
import { toHtml } from './to-html.ts';
import { toMarkdown } from './to-markdown.ts';

export type Report = { readonly markdown: string; readonly html: string };

/**
 * The report on a bench: our tables next to the paper's, plots, statistics and cost. A pure function of its arguments:
 * the same results give the same bytes. All names in the results are treated as untrusted text.
 */
export function renderReport(results: readonly EpisodeResult[], options: ReportOptions = {}): Report {
  const title = options.title ?? 'SkillExecBench';
  const blocks = buildReport(results, options);
  return { markdown: toMarkdown(title, blocks), html: toHtml(title, blocks) };
}
