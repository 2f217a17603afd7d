/** When what was changed last, by a count of changes that only grows. Bounded: what falls out counts as changed at `floor`. */
export type Changes = {
  readonly count: () => number;
  /** The last change that could have been of anything. */
  readonly any: () => number;
  /** One change, of these resources or, for null, of anything. */
  bump(resources: readonly string[] | null, step: number): void;
  /** Whether none of these can have changed after `since`. */
  unchanged(resources: readonly string[], since: number): boolean;
  /** Changed resources with the step of their last change, oldest first. */
  list(): readonly (readonly [string, number])[];
  save(): SavedChanges;
};

export type SavedChanges = {
  readonly count: number;
  readonly any: number;
  readonly floor: number;
  readonly changed: readonly (readonly [string, number, number])[];
};

const MOST_CHANGED = 64;

export function createChanges(saved: SavedChanges | null): Changes {
  let { count, any, floor } = saved ?? { count: 0, any: 0, floor: 0 };
  const changed = new Map((saved?.changed ?? []).map(([name, at, step]) => [name, { at, step }]));
  const bump = (resources: readonly string[] | null, step: number): void => {
    count += 1;
    if (resources === null) any = count;
    for (const name of resources ?? []) {
      changed.delete(name);
      changed.set(name, { at: count, step });
    }
    for (const [name, { at }] of changed) {
      if (changed.size <= MOST_CHANGED) break;
      floor = Math.max(floor, at);
      changed.delete(name);
    }
  };
  const unchanged = (resources: readonly string[], since: number): boolean => {
    if (any > since || floor > since) return false;
    for (const [name, { at }] of changed)
      if (at > since && resources.some((one) => related(one, name))) return false;
    return true;
  };
  return {
    count: () => count,
    any: () => any,
    bump,
    unchanged,
    list: () => [...changed].map(([name, { step }]) => [name, step] as const),
    save: () => ({
      count,
      any,
      floor,
      changed: [...changed].map(([name, { at, step }]) => [name, at, step] as const),
    }),
  };
}

/** The same, or one is a folder that holds the other. */
function related(one: string, other: string): boolean {
  const [a, b] = [one.replace(/^tree:/, 'file:'), other.replace(/^tree:/, 'file:')];
  return a === b || within(a, b) || within(b, a);
}

function within(folder: string, name: string): boolean {
  return folder === 'file:.'
    ? name.startsWith('file:') && !name.startsWith('file:/')
    : name.startsWith(`${folder}/`);
}
