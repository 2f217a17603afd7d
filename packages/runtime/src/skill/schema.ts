import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { JsonObject } from '../types.ts';

/** The keywords that a state contract adds to JSON Schema 2020-12. */
export const STATE_KEYWORDS = [
  'x-merge',
  'x-key',
  'x-owner',
  'x-commit',
  'x-overflow',
  'x-max-bytes',
  'x-order',
] as const;

const COMPILED = new WeakMap<JsonObject, ValidateFunction>();

/**
 * The validator of a JSON Schema 2020-12, compiled once per schema object (a few ms). All errors at once, with the data
 * and schema that they are about. `format` is an annotation, as the draft has it. Throws on a schema that is none.
 */
export function compileSchema(schema: JsonObject): ValidateFunction {
  const known = COMPILED.get(schema);
  if (known !== undefined) return known;
  const compiled = createAjv(false).compile(schema);
  COMPILED.set(schema, compiled);
  return compiled;
}

/** Like `compileSchema`; the validator also fills `default`s into the document. Not remembered. */
export function compileWithDefaults(schema: JsonObject): ValidateFunction {
  filling ??= createAjv(true);
  return filling.compile(schema);
}

let filling: Ajv2020 | undefined;

function createAjv(useDefaults: boolean): Ajv2020 {
  return new Ajv2020({
    allErrors: true,
    verbose: true,
    useDefaults,
    strict: true,
    strictRequired: false,
    strictTypes: false,
    strictTuples: false,
    allowUnionTypes: true,
    validateFormats: false,
    addUsedSchema: false,
    keywords: [...STATE_KEYWORDS],
    logger: false,
    meta: false,
    validateSchema: false,
    code: { optimize: false },
  });
}
