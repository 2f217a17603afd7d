/**
 * The read cache of the CMS. It keeps what a read returned for `ttlMs`, whatever is written meanwhile. Only the one read
 * right after a caller's own write goes past it; a list never does, and uses that one chance up.
 */
export type CachedRead = { readonly value: object; readonly ageMs: number; readonly stale: boolean };

export type ReadCache = {
  wrote(caller: string): void;
  read(caller: string, key: string, isList: boolean, load: () => object): CachedRead;
};

export function createReadCache(ttlMs: number, now: () => number = Date.now): ReadCache {
  const entries = new Map<string, { readonly at: number; readonly value: object }>();
  const justWrote = new Set<string>();
  return {
    wrote(caller) {
      justWrote.add(caller);
    },
    read(caller, key, isList, load) {
      const past = justWrote.delete(caller) && !isList;
      const value = load();
      const entry = entries.get(key);
      const ageMs = entry === undefined ? 0 : now() - entry.at;
      if (entry !== undefined && !past && ageMs < ttlMs)
        return { value: entry.value, ageMs, stale: JSON.stringify(entry.value) !== JSON.stringify(value) };
      entries.set(key, { at: now(), value });
      return { value, ageMs: 0, stale: false };
    },
  };
}
