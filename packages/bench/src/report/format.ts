/** What a reader sees where there is no number. */
export const NONE = '–';

/** A whole number with thousands separators. */
export function whole(value: number | null): string {
  return value === null ? NONE : Math.round(value).toLocaleString('en-US');
}

export function fixed(value: number | null, digits = 2): string {
  return value === null || !Number.isFinite(value) ? NONE : value.toFixed(digits);
}

export function percent(share: number | null): string {
  return share === null || !Number.isFinite(share) ? NONE : `${(share * 100).toFixed(1)}%`;
}

/** USD with enough digits to tell small sums apart. */
export function dollars(usd: number | null): string {
  if (usd === null) return NONE;
  if (usd === 0) return '$0';
  return usd >= 1 ? `$${usd.toFixed(2)}` : `$${usd.toPrecision(3)}`;
}

/** A p-value: small ones as a bound. */
export function pValue(p: number | null): string {
  if (p === null) return NONE;
  return p < 0.001 ? '< 0.001' : p.toFixed(3);
}

/** `mean ± sd`, or the mean alone for one value. */
export function plusMinus(mean: number | null, sd: number | null, show: (value: number) => string): string {
  if (mean === null) return NONE;
  return sd === null ? show(mean) : `${show(mean)} ± ${show(sd)}`;
}
