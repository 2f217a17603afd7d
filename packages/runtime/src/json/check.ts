import type { Issue, Json, Result } from '../types.ts';
import { formatPointer } from './pointer.ts';
import {
  FORBIDDEN_KEYS,
  forbiddenKey,
  JSON_LIMITS,
  type JsonLimits,
  MOST_ISSUES,
  numberFault,
  syntaxIssue,
  tooDeep,
} from './rules.ts';
import { byteLength, wellFormedJson } from './wellformed.ts';

type Frame = {
  readonly value: object;
  /** Keys of an object; null for an array. */
  readonly keys: readonly string[] | null;
  at: number;
};

/**
 * The rules of `parseJson` for a value that came already parsed (structured output, tool results, code): also refuses what
 * JSON does not have (undefined, functions, bigint, Date and other class instances, cycles, holes) with `syntax.json`.
 * Does not recurse before the depth is known. Returns the same value, or a copy where text had to be made well-formed.
 */
export function checkJson(value: unknown, limits: Partial<JsonLimits> = {}): Result<Json> {
  const walk = new Walk({ ...JSON_LIMITS, ...limits });
  const issues = walk.run(value);
  return issues.length > 0 ? { ok: false, issues } : { ok: true, value: wellFormedJson(value as Json) };
}

class Walk {
  private readonly limits: JsonLimits;
  private readonly frames: Frame[] = [];
  private readonly issues: Issue[] = [];
  private bytes = 0;

  constructor(limits: JsonLimits) {
    this.limits = limits;
  }

  /** Visits values until all are seen, or it makes no sense to go on (too large, too deep, too many issues). */
  run(root: unknown): readonly Issue[] {
    this.visit(root);
    for (let top = this.frames.at(-1); top !== undefined; top = this.frames.at(-1)) {
      if (this.issues.length >= MOST_ISSUES) break;
      if (this.bytes > this.limits.bytes) {
        this.report('size', `at most ${this.limits.bytes} bytes of JSON text; this has more`);
        break;
      }
      this.next(top);
    }
    return this.issues;
  }

  private next(top: Frame): void {
    const index = ++top.at;
    const { value, keys } = top;
    if (index >= (keys ?? (value as unknown[])).length) {
      this.frames.pop();
      return;
    }
    this.bytes += 1;
    if (keys === null) {
      this.visit((value as unknown[])[index]);
      return;
    }
    const key = keys[index] as string;
    this.bytes += byteLength(key) + 3;
    if (FORBIDDEN_KEYS.has(key)) this.issues.push(forbiddenKey(this.path(), key));
    else this.visit((value as Record<string, unknown>)[key]);
  }

  private visit(value: unknown): void {
    if (value === null || typeof value === 'boolean') {
      this.bytes += 4;
    } else if (typeof value === 'string') {
      this.bytes += byteLength(value) + 2;
    } else if (typeof value === 'number') {
      this.bytes += 1;
      const fault = numberFault(value);
      if (fault !== null) this.report('number', fault);
    } else if (typeof value === 'object') {
      this.enter(value);
    } else {
      this.report('json', `${typeof value} is no JSON value`);
    }
  }

  private enter(value: object): void {
    const array = Array.isArray(value);
    const prototype: unknown = Object.getPrototypeOf(value);
    if (!array && prototype !== Object.prototype && prototype !== null) {
      this.report('json', `an instance of ${className(value)} is no JSON value; give plain data`);
    } else if (this.frames.some((frame) => frame.value === value)) {
      this.report('json', 'the value contains itself');
    } else if (this.frames.length >= this.limits.depth) {
      this.issues.push(tooDeep(this.path(), this.limits.depth));
    } else {
      this.bytes += 2;
      this.frames.push({ value, keys: array ? null : Object.keys(value), at: -1 });
    }
  }

  private report(name: string, hint: string): void {
    this.issues.push(syntaxIssue(name, this.path(), hint));
  }

  private path(): string {
    return formatPointer(this.frames.map(({ keys, at }) => (keys === null ? at : (keys[at] ?? ''))));
  }
}

function className(value: object): string {
  const made: unknown = value.constructor;
  return typeof made === 'function' && made.name !== '' ? made.name : 'an unnamed class';
}
