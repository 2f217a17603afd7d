/** A report before it has a format: what the Markdown and the HTML are both made of. All texts are plain and unescaped. */
export type Block =
  | { readonly kind: 'heading'; readonly level: 2 | 3; readonly text: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly string[] }
  | TableBlock
  | { readonly kind: 'charts'; readonly charts: readonly Chart[] }
  | { readonly kind: 'details'; readonly summary: string; readonly blocks: readonly Block[] };

export type TableBlock = {
  readonly kind: 'table';
  readonly columns: readonly Column[];
  readonly rows: readonly TableRow[];
  /** How the figures were measured. */
  readonly caption: string;
};

/** `paper`: a figure of the paper, set apart from ours. */
export type Column = { readonly name: string; readonly of: 'name' | 'ours' | 'paper' };

export type TableRow = {
  readonly cells: readonly string[];
  /** The row of `state`. */
  readonly strong?: boolean;
  /** First row of a group: a line is drawn above it. */
  readonly first?: boolean;
};

export type Chart = {
  readonly title: string;
  readonly x: string;
  readonly y: string;
  readonly format: 'number' | 'share' | 'usd';
  readonly series: readonly Series[];
  /** Names of x = 0, 1, 2, … in place of numbers. */
  readonly categories?: readonly string[];
  /** Points of interest, named on the chart. */
  readonly marks?: readonly { readonly x: number; readonly y: number; readonly text: string }[];
  readonly note: string;
};

export type Series = {
  readonly name: string;
  /** Picks the colour: the same in all charts. */
  readonly colour: string;
  readonly dashed?: boolean;
  readonly points: readonly Point[];
};

export type Point = {
  readonly x: number;
  readonly y: number;
  readonly low?: number;
  readonly high?: number;
};
