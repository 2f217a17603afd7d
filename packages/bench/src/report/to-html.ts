import type { Block, Chart, TableBlock } from './blocks.ts';
import { html } from './escape.ts';
import { STYLE } from './style.ts';
import { cssName, lineChart } from './svg.ts';

/** The report as one HTML file: styles and plots inside, no script, nothing loaded. */
export function toHtml(title: string, blocks: readonly Block[]): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${html(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${html(title)}</h1>
${blocks.map(blockHtml).join('\n')}
</main>
</body>
</html>
`;
}

function blockHtml(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return `<h${block.level}>${html(block.text)}</h${block.level}>`;
    case 'text':
      return `<p>${html(block.text)}</p>`;
    case 'list':
      return `<ul>${block.items.map((item) => `<li>${html(item)}</li>`).join('')}</ul>`;
    case 'table':
      return tableHtml(block);
    case 'charts':
      return `<div class="charts">${block.charts.map(chartHtml).join('\n')}</div>`;
    case 'details':
      return `<details><summary>${html(block.summary)}</summary>${block.blocks.map(blockHtml).join('\n')}</details>`;
  }
}

function tableHtml({ columns, rows, caption }: TableBlock): string {
  const head = columns.map(({ name, of }) => `<th scope="col" class="${of}">${html(name)}</th>`).join('');
  const body = rows.map(({ cells, strong, first }) => {
    const classes = [...(strong === true ? ['strong'] : []), ...(first === true ? ['first'] : [])];
    const row = cells.map((cell, i) => `<td class="${columns[i]?.of ?? 'ours'}">${html(cell)}</td>`).join('');
    return `<tr${classes.length === 0 ? '' : ` class="${classes.join(' ')}"`}>${row}</tr>`;
  });
  return `<figure class="table"><div class="scroll"><table><thead><tr>${head}</tr></thead><tbody>${body.join('\n')}</tbody></table></div><figcaption>${html(caption)}</figcaption></figure>`;
}

function chartHtml(chart: Chart): string {
  const legend = chart.series.map(
    ({ name, colour, dashed }) =>
      `<li class="c-${cssName(colour)}${dashed === true ? ' dashed' : ''}">${html(name)}</li>`,
  );
  return `<figure class="chart"><h4>${html(chart.title)}</h4><ul class="legend">${legend.join('')}</ul>${lineChart(chart)}<figcaption>${html(chart.note)}</figcaption></figure>`;
}
