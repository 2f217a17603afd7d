/** Every failure that a store can meet: a stable code, where it happened, and what to do about it. */
export type StoreErrorCode =
  | 'store.fenced'
  | 'store.busy'
  | 'store.full'
  | 'store.corrupt'
  | 'store.newer'
  | 'store.readonly'
  | 'store.exists'
  | 'store.missing'
  | 'store.conflict'
  | 'store.unfinished'
  | 'store.unreachable';

/** Thrown by the methods of `Store`. `path` is the file, or the file and the place in it. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly code: StoreErrorCode;
  readonly path: string;
  readonly hint: string;

  constructor(code: StoreErrorCode, path: string, hint: string, cause?: unknown) {
    super(`${code} (${path}): ${hint}`, cause === undefined ? undefined : { cause });
    this.code = code;
    this.path = path;
    this.hint = hint;
  }
}

export function isStoreError(error: unknown, code?: StoreErrorCode): error is StoreError {
  return error instanceof StoreError && (code === undefined || error.code === code);
}
