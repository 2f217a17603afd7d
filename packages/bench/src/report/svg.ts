import type { Chart, Point, Series } from './blocks.ts';
import { html } from './escape.ts';

const WIDTH = 640;
const HEIGHT = 300;
const LEFT = 64;
const RIGHT = 18;
const TOP = 14;
const BOTTOM = 44;

type Scale = { readonly ticks: readonly number[]; at(value: number): number };

/** A line chart as SVG text without scripts; colours come from the page's classes `c-NAME`. Points without x or y are left out. */
export function lineChart(chart: Chart): string {
  const points = chart.series.flatMap((series) => series.points);
  const x =
    chart.categories === undefined
      ? numberScale(
          points.map((point) => point.x),
          [LEFT, WIDTH - RIGHT],
          false,
        )
      : categoryScale(chart.categories.length);
  const tops = points.flatMap((point) => [point.y, point.high ?? point.y]);
  const y = numberScale(chart.format === 'share' ? [...tops, 1] : tops, [HEIGHT - BOTTOM, TOP], true);
  return [
    `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${html(chart.title)}">`,
    ...y.ticks.map((tick) => yTick(tick, y, chart)),
    ...x.ticks.map((tick) => xTick(tick, x, chart)),
    `<text class="axis" x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 6}" text-anchor="middle">${html(chart.x)}</text>`,
    ...chart.series.toReversed().map((series) => seriesSvg(series, x, y, chart)),
    ...(chart.marks ?? []).map((mark) => markSvg(mark, x, y)),
    '</svg>',
  ].join('\n');
}

/** From 0 (or the least value below it) to a round number at or above the largest. */
function numberScale(
  values: readonly number[],
  [start, end]: readonly [number, number],
  fromZero: boolean,
): Scale {
  const finite = values.filter(Number.isFinite);
  const most = Math.max(0, ...finite);
  const least = fromZero ? Math.min(0, ...finite) : Math.min(most, ...finite);
  const step = niceStep(most - least);
  const low = Math.floor(least / step + 1e-9) * step;
  const high = Math.max(low + step, fromZero ? Math.ceil(most / step - 1e-9) * step : most);
  const count = Math.floor((high - low) / step + 1e-9);
  const ticks = Array.from({ length: count + 1 }, (_, i) => low + i * step);
  return { ticks, at: (value) => start + ((value - low) / (high - low)) * (end - start) };
}

function niceStep(span: number): number {
  if (span <= 0) return 1;
  const rough = span / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 2.5, 5, 10].find((candidate) => candidate * power >= rough * 0.999) ?? 10;
  return factor * power;
}

function categoryScale(count: number): Scale {
  const width = (WIDTH - LEFT - RIGHT) / Math.max(1, count);
  return { ticks: Array.from({ length: count }, (_, i) => i), at: (value) => LEFT + (value + 0.5) * width };
}

function yTick(tick: number, y: Scale, chart: Chart): string {
  const at = round(y.at(tick));
  return `<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${at}" y2="${at}"/><text class="tick" x="${LEFT - 8}" y="${at + 4}" text-anchor="end">${html(label(tick, chart.format))}</text>`;
}

function xTick(tick: number, x: Scale, { categories }: Chart): string {
  const text = categories === undefined ? label(tick, 'number') : (categories[tick] ?? '');
  return `<text class="tick" x="${round(x.at(tick))}" y="${HEIGHT - BOTTOM + 18}" text-anchor="middle">${html(text)}</text>`;
}

function seriesSvg(series: Series, x: Scale, y: Scale, chart: Chart): string {
  const points = series.points.filter((point) => Number.isFinite(point.x) && Number.isFinite(point.y));
  const path = points
    .map((point, i) => `${i === 0 ? 'M' : 'L'}${round(x.at(point.x))} ${round(y.at(point.y))}`)
    .join('');
  const line =
    chart.categories === undefined
      ? `<path class="line${series.dashed === true ? ' dashed' : ''}" d="${path}"/>`
      : '';
  const dots =
    points.length <= 24 ? points.map((point) => dotSvg(series.name, point, x, y, chart)).join('') : '';
  return `<g class="c-${cssName(series.colour)}"><title>${html(series.name)}</title>${line}${dots}</g>`;
}

function dotSvg(name: string, point: Point, x: Scale, y: Scale, chart: Chart): string {
  const [cx, cy] = [round(x.at(point.x)), round(y.at(point.y))];
  const spread =
    point.low === undefined || point.high === undefined
      ? ''
      : `<line class="spread" x1="${cx}" x2="${cx}" y1="${round(y.at(point.low))}" y2="${round(y.at(point.high))}"/>`;
  const at = chart.categories?.[Math.floor(point.x + 0.5)] ?? `${chart.x} ${label(point.x, 'number')}`;
  const title = `${name}, ${at}: ${label(point.y, chart.format)}`;
  return `${spread}<circle class="dot" cx="${cx}" cy="${cy}" r="4"><title>${html(title)}</title></circle>`;
}

function markSvg(
  mark: { readonly x: number; readonly y: number; readonly text: string },
  x: Scale,
  y: Scale,
): string {
  const [cx, cy] = [round(x.at(mark.x)), round(y.at(mark.y))];
  const before = cx > WIDTH * 0.6;
  const textY = cy > (TOP + HEIGHT - BOTTOM) / 2 ? TOP + 12 : HEIGHT - BOTTOM - 10;
  return `<g class="mark"><line x1="${cx}" x2="${cx}" y1="${TOP}" y2="${HEIGHT - BOTTOM}"/><circle cx="${cx}" cy="${cy}" r="5"/><text x="${cx + (before ? -8 : 8)}" y="${textY}" text-anchor="${before ? 'end' : 'start'}">${html(mark.text)}</text></g>`;
}

function label(value: number, format: Chart['format']): string {
  if (format === 'usd') return value === 0 ? '$0' : `$${Number(value.toPrecision(3))}`;
  if (format === 'share') return Number(value.toFixed(3)).toString();
  const size = Math.abs(value);
  if (size >= 1e6) return `${Number((value / 1e6).toPrecision(4))}M`;
  if (size >= 1e4) return `${Number((value / 1e3).toPrecision(4))}k`;
  return Number(value.toPrecision(4)).toLocaleString('en-US');
}

export function cssName(name: string): string {
  return name.replace(/[^a-z0-9-]/gi, '-');
}

const round = (value: number): number => Math.round(value * 10) / 10;
