import Table from 'cli-table3';

/** A plain table for a terminal: a header line, columns two spaces apart, numbers to the right. */
export function terminalTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const plain = { top: '', bottom: '', left: '', right: '', mid: '', middle: '' };
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
    chars: { ...plain, ...corners, 'left-mid': '', 'mid-mid': '', 'right-mid': '' },
  });
  for (const row of rows) grid.push([...row]);
  return grid
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}
