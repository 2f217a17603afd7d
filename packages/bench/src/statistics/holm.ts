/** Holm's step-down adjustment over the tests of one table, in the order given. A null was no test and stays null. */
export function holm(ps: readonly (number | null)[]): (number | null)[] {
  const tests = ps.flatMap((p, index) => (p === null ? [] : [{ p, index }])).toSorted((x, y) => x.p - y.p);
  const adjusted = ps.map((): number | null => null);
  let floor = 0;
  tests.forEach(({ p, index }, place) => {
    floor = Math.max(floor, Math.min(1, p * (tests.length - place)));
    adjusted[index] = floor;
  });
  return adjusted;
}
