import type { Block } from '../report/blocks.ts';
import { terminalTable } from '../report/terminal.ts';

/** A report for a terminal: everything but the plots. */
export function toTerminal(blocks: readonly Block[]): string {
  return blocks.map(blockText).filter(Boolean).join('\n\n');
}

function blockText(block: Block): string {
  switch (block.kind) {
    case 'heading':
    case 'text':
      return block.text;
    case 'list':
      return block.items.map((item) => `- ${item}`).join('\n');
    case 'table':
      return `${terminalTable(
        block.columns.map(({ name }) => name),
        block.rows.map(({ cells }) => cells),
      )}\n${block.caption}`;
    case 'charts':
      return '';
    case 'details':
      return [block.summary, ...block.blocks.map(blockText)].join('\n\n');
  }
}
