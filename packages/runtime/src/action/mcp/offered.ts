import { checkJson } from '../../json/check.ts';
import { canonicalJson, sha256 } from '../../json/text.ts';
import { wellFormed } from '../../json/wellformed.ts';
import type { Json, JsonObject, ToolSpec } from '../../types.ts';

/** A tool as a server offers it now: what the runtime needs of it, and a digest of its schemas. */
export type Offered = {
  readonly spec: Omit<ToolSpec, 'declaration' | 'timeoutMs'>;
  readonly digest: string;
};

type Wide = Readonly<Record<string, unknown>>;

/**
 * Reads the entries of a tool list. Schemas stay as they are, `$ref`s and all; one that is no schema becomes one that
 * cannot be compiled, so that this tool alone is disabled (P57). Entries without a name and repeated names are left
 * out and told through `log`. Hints: what is not said counts as not safe to repeat, and as destructive, as in MCP.
 */
export function readOffered(entries: readonly unknown[], log: (line: string) => void): Map<string, Offered> {
  const offered = new Map<string, Offered>();
  for (const entry of entries) {
    const name = isObject(entry) && typeof entry['name'] === 'string' ? wellFormed(entry['name']) : '';
    if (!isObject(entry) || name === '') log('a tool without a name was left out');
    else if (offered.has(name)) log(`tool ${name} is listed twice; the first is used`);
    else offered.set(name, toOffered(name, entry));
  }
  return offered;
}

function toOffered(name: string, entry: Wide): Offered {
  const { description, title } = entry;
  const hints = isObject(entry['annotations']) ? entry['annotations'] : {};
  const readOnly = hints['readOnlyHint'] === true;
  const said = typeof description === 'string' ? description : typeof title === 'string' ? title : '';
  const inputSchema = entry['inputSchema'] == null ? { type: 'object' } : toSchema(entry['inputSchema']);
  const outputSchema = entry['outputSchema'] == null ? null : toSchema(entry['outputSchema']);
  const spec = {
    name,
    description: wellFormed(said),
    inputSchema,
    outputSchema,
    readOnly,
    idempotent: readOnly || hints['idempotentHint'] === true,
    destructive: !readOnly && hints['destructiveHint'] !== false,
  };
  return { spec, digest: sha256(canonicalJson([inputSchema, outputSchema])) };
}

function toSchema(value: unknown): JsonObject {
  const checked = checkJson(value);
  if (checked.ok && isObject(checked.value)) return checked.value as JsonObject;
  const why = checked.ok
    ? 'it is no object'
    : checked.issues.map(({ path, hint }) => `${path} ${hint}`.trim()).join('; ');
  return { $ref: `#/unusable schema: ${why}` } satisfies Record<string, Json>;
}

function isObject(value: unknown): value is Wide {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
