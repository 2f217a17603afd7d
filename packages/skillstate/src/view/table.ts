import Table from 'cli-table3';

type Cell = string | number;

/** A plain table: a header line, columns two spaces apart, numbers to the right. */
export function table(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const aligns = head.map(
    (_, column) =>
      (rows.every((row) => typeof row[column] === 'number') ? 'right' : 'left') as 'right' | 'left',
  );
  const grid = new Table({
    head: [...head],
    colAligns: aligns,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 2 },
    chars: {
      top: '',
      'top-mid': '',
      'top-left': '',
      'top-right': '',
      bottom: '',
      'bottom-mid': '',
      'bottom-left': '',
      'bottom-right': '',
      left: '',
      'left-mid': '',
      mid: '',
      'mid-mid': '',
      right: '',
      'right-mid': '',
      middle: '',
    },
  });
  for (const row of rows)
    grid.push(row.map((cell) => (typeof cell === 'number' ? cell.toLocaleString('en-US') : cell)));
  return grid
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}
