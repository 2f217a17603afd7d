import type { Dialect, Issue, Json, JsonObject, Owner, Pointer } from '../types.ts';
import { coerce, type Reading } from './coerce.ts';
import type { Field } from './field.ts';

/** What one merge collects. Where an issue is found, the current value stays and the merge goes on, to find them all. */
export type Merging = {
  readonly actor: Owner;
  readonly reading: Reading;
  readonly dialect: Dialect;
  readonly issues: Issue[];
  readonly remarks: string[];
  /** The deep merge of one object: what keyed lists do with a record. */
  readonly record: (
    merging: Merging,
    field: Field,
    current: JsonObject,
    patch: JsonObject,
    path: Pointer,
  ) => JsonObject;
};

/** Texts read by the schema where the skill allows it. */
export function read(merging: Merging, field: Field, value: Json, path: Pointer): Json {
  return coerce(field, value, path, merging.reading, merging.remarks);
}
