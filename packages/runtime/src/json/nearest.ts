/** The closest of `names` to `name` by edit distance, for did-you-mean hints; null where nothing is close. */
export function nearest(name: string, names: readonly string[]): string | null {
  const wanted = name.slice(0, 64).toLowerCase();
  let best: string | null = null;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const candidate of names.slice(0, 500)) {
    const other = candidate.toLowerCase();
    const contains =
      wanted.length >= 3 && other.length >= 3 && (wanted.includes(other) || other.includes(wanted));
    const distance = contains ? 1 : editDistance(wanted, other.slice(0, 64));
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  const allowed = wanted.length <= 3 ? 1 : Math.max(2, Math.floor(wanted.length / 3));
  return bestDistance <= allowed && bestDistance < wanted.length ? best : null;
}

/** Levenshtein distance in code units. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(substitution, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
