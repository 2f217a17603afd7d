import type { Block, TableBlock } from './blocks.ts';
import { markdown } from './escape.ts';

/** The report as Markdown: everything but the plots. */
export function toMarkdown(title: string, blocks: readonly Block[]): string {
  return `# ${markdown(title)}\n\n${blocks.map(blockText).filter(Boolean).join('\n\n')}\n`;
}

function blockText(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return `${'#'.repeat(block.level)} ${markdown(block.text)}`;
    case 'text':
      return markdown(block.text);
    case 'list':
      return block.items.map((item) => `- ${markdown(item)}`).join('\n');
    case 'table':
      return tableText(block);
    case 'charts':
      return `Plots, in the HTML report: ${block.charts.map(({ title }) => markdown(title)).join('; ')}.`;
    case 'details':
      return `## ${markdown(block.summary)}\n\n${block.blocks.map(blockText).filter(Boolean).join('\n\n')}`;
  }
}

function tableText({ columns, rows, caption }: TableBlock): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    line(columns.map(({ name }) => markdown(name))),
    line(columns.map(({ of }) => (of === 'name' ? '---' : '---:'))),
    ...rows.map(({ cells, strong }) =>
      line(cells.map((cell, i) => (strong === true && i === 1 ? `**${markdown(cell)}**` : markdown(cell)))),
    ),
    '',
    `*${markdown(caption)}*`,
  ].join('\n');
}
