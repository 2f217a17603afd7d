import Table from 'cli-table3';
import { plain } from './escape.ts';

/** A plain table for a terminal, whatever is in the cells: a header line, columns two spaces apart, numbers to the right. */
export function terminalTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const edges = { top: '', bottom: '', left: '', right: '', mid: '', middle: '' };
  const corners = {
    'top-mid': '',
    'top-left': '',
    'top-right': '',
    'bottom-mid': '',
    'bottom-left': '',
    'bottom-right': '',
  };
  const grid = new Table({
    head: [...head],
    colAligns: head.map((_, column) => (column === 0 ? 'left' : 'right')),
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 2 },
    chars: { ...edges, ...corners, 'left-mid': '', 'mid-mid': '', 'right-mid': '' },
  });
  for (const row of rows) grid.push(row.map((cell) => plain(cell).replace(/\s+/g, ' ')));
  return grid
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}
