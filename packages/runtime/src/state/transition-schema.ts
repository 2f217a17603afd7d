import type { Dialect, Json, JsonObject, Skill, ToolSpec } from '../types.ts';
import { compileContract } from './contract.ts';
import { fieldSchemas } from './patch-schema.ts';
import { ACTION_KEY, PATCH_KEY } from './reply-format.ts';
import { isObject } from './shape.ts';

const REASONING: JsonObject = { type: 'string', description: 'Discarded after this step.' };

/**
 * JSON Schema of a whole transition, `{reasoning, state_patch, action}`, for tool and structured mode and for constrained
 * decoding. In the merge dialect the patch is made from the same fields as the merge. `strict` (operations dialect only)
 * keeps to what strict structured output takes: every key required, no free-form objects; lists, objects and a call's
 * arguments are then JSON text, which the reader decodes.
 */
export function transitionSchema(
  skill: Skill,
  tools: readonly ToolSpec[],
  dialect: Dialect,
  { strict }: { readonly strict: boolean },
): JsonObject {
  const narrow = strict && dialect === 'operations';
  const definitions: Record<string, Json> = {};
  const patch = dialect === 'merge' ? mergeSchema(skill, definitions) : operationsSchema(narrow);
  const action = actionSchema(skill, tools, narrow, definitions);
  return {
    type: 'object',
    properties: { reasoning: REASONING, [PATCH_KEY]: patch, [ACTION_KEY]: action },
    required: narrow ? ['reasoning', PATCH_KEY, ACTION_KEY] : [PATCH_KEY, ACTION_KEY],
    additionalProperties: false,
    ...(Object.keys(definitions).length > 0 && { $defs: definitions }),
  };
}

function mergeSchema(skill: Skill, definitions: Record<string, Json>): JsonObject {
  const schemas = fieldSchemas();
  const patch = schemas.patch(compileContract(skill.state).root, false);
  Object.assign(definitions, schemas.definitions);
  return patch;
}

const SCALARS: readonly JsonObject[] = [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }];

const STRICT_VALUE: JsonObject = {
  anyOf: [...SCALARS, { type: 'null' }, { type: 'array', items: { anyOf: SCALARS } }],
  description: 'The value; an object, or a list of objects, as JSON text. null for delete.',
};

function operationsSchema(narrow: boolean): JsonObject {
  const operation: JsonObject = {
    type: 'object',
    properties: {
      op: { type: 'string', enum: ['set', 'delete', 'add', 'remove'] },
      path: { type: 'string', description: 'JSON Pointer of the field, such as /task' },
      value: narrow ? STRICT_VALUE : {},
    },
    required: narrow ? ['op', 'path', 'value'] : ['op', 'path'],
    additionalProperties: false,
  };
  return { type: 'array', items: operation };
}

function actionSchema(
  skill: Skill,
  tools: readonly ToolSpec[],
  narrow: boolean,
  definitions: Record<string, Json>,
): JsonObject {
  const { command } = skill.actions;
  const offered = tools.filter((tool) => tool.name !== command);
  const calls = narrow
    ? [strictCall(offered)]
    : offered.map((tool, index) => callSchema(tool, `args${index + 1}`, definitions));
  const text: JsonObject = { type: 'string', description: 'The exact command.' };
  const choices = [...(command === null ? [] : [text]), ...(offered.length > 0 ? calls : [])];
  return choices.length === 1 ? (choices[0] as JsonObject) : choices.length === 0 ? {} : { anyOf: choices };
}

function strictCall(tools: readonly ToolSpec[]): JsonObject {
  return call(
    { type: 'string', enum: tools.map(({ name }) => name) },
    { type: 'string', description: "JSON text of the tool's arguments object, {} if none" },
  );
}

function callSchema(
  { name, inputSchema }: ToolSpec,
  key: string,
  definitions: Record<string, Json>,
): JsonObject {
  const { $schema: _dialect, $id: _id, ...schema } = inputSchema;
  if (!refers(schema)) return call({ const: name }, schema);
  const place = `#/$defs/${key}`;
  definitions[key] = moved(schema, place);
  return call({ const: name }, { $ref: place });
}

function call(tool: JsonObject, args: JsonObject): JsonObject {
  return {
    type: 'object',
    properties: { tool, args },
    required: ['tool', 'args'],
    additionalProperties: false,
  };
}

function refers(schema: Json): boolean {
  if (Array.isArray(schema)) return schema.some(refers);
  return isObject(schema) && ('$ref' in schema || Object.values(schema).some(refers));
}

/** The schema with its own references (`#`, `#/…`) pointing to its new place (P57). */
function moved(schema: Json, place: string): Json {
  if (Array.isArray(schema)) return schema.map((item: Json) => moved(item, place));
  if (!isObject(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      const own = key === '$ref' && typeof value === 'string' && /^#(\/|$)/.test(value);
      return [key, own ? `${place}${(value as string).slice(1)}` : moved(value, place)];
    }),
  );
}
