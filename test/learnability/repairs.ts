import type { Json } from '@skillstate/runtime';
import type { Draft, Line } from './repairer.ts';

type Repair = { readonly code: string; readonly mend: (draft: Draft, line: Line) => void };

/** What to do about each code, by what its hint says. The first entry whose code the begins with is used. */
export const repairs: readonly Repair[] = [
  { code: 'syntax.extra_key', mend: extraKey },
  { code: 'syntax.forbidden_key', mend: (draft, line) => edit(draft, line.path, () => undefined) },
  { code: 'syntax.patch_form', mend: patchForm },
  { code: 'syntax.action_form', mend: actionForm },
  { code: 'syntax.form', mend: (draft, line) => editPatch(draft, line, knownForm) },
  {
    code: 'syntax.op',
    mend: (draft, { path }) => eachOperation(draft, path, (op) => ({ ...op, op: 'set' })),
  },
  {
    code: 'syntax.path',
    mend: (draft, { path }) => eachOperation(draft, path, (op) => ({ ...op, path: `/${path}` })),
  },
  {
    code: 'action.unknown_tool',
    mend: (draft, line) => edit(draft, '/action/tool', () => suggestion(line) ?? 'wait'),
  },
  { code: 'action.unknown_argument', mend: (draft, line) => rename(draft, line.path, suggestion(line)) },
  {
    code: 'action.missing_argument',
    mend: (draft, line) => edit(draft, line.path, (value) => value ?? 'unknown'),
  },
  { code: 'action.argument', mend: (draft, line) => edit(draft, line.path, (value) => fitting(value, line)) },
  {
    code: 'overwrite.dropped_items',
    mend: (draft, line) => editPatch(draft, line, (value) => withKept(value, line)),
  },
  {
    code: 'overwrite.partly_restated',
    mend: (draft, line) => editPatch(draft, line, (value) => withoutKnown(value, line)),
  },
  {
    code: 'overwrite.sum_replaced',
    mend: (draft, line) => editPatch(draft, line, (value) => added(value, line)),
  },
  {
    code: 'overwrite.type_replaced',
    mend: (draft, line) => editPatch(draft, line, (value) => wholeList(value, line)),
  },
  { code: 'overwrite.', mend: (draft, line) => editPatch(draft, line, () => undefined) },
  { code: 'owner.', mend: (draft, line) => editPatch(draft, line, () => undefined) },
  { code: 'bound.field', mend: (draft, line) => editPatch(draft, line, (value) => shorter(value, line)) },
  { code: 'schema.unknown_key', mend: unknownKey },
  { code: 'schema.required', mend: dropRecord },
  { code: 'schema.', mend: (draft, line) => editPatch(draft, line, (value) => fitting(value, line)) },
];

/** Replaces the value at a pointer; undefined removes it. */
function edit(draft: Draft, path: string, change: (value: Json | undefined) => Json | undefined): void {
  const segments = path.split('/').slice(1);
  const last = segments.pop() ?? '';
  let here: Json | undefined = draft;
  for (const segment of segments) here = (here as Draft | undefined)?.[segment];
  if (here === null || typeof here !== 'object') return;
  const holder = here as Draft;
  const next = change(Object.hasOwn(holder, last) ? holder[last] : undefined);
  if (next === undefined) delete holder[last];
  else holder[last] = next;
}

function editPatch(
  draft: Draft,
  { path }: Line,
  change: (value: Json | undefined) => Json | undefined,
): void {
  if (typeof draft['state_patch'] === 'string')
    draft['state_patch'] = JSON.parse(draft['state_patch']) as Json;
  edit(draft, `/state_patch${path}`, change);
}

/** `did you mean result?` */
function suggestion({ hint }: Line): string | null {
  return /did you mean "?([^"?]+)"?\?/.exec(hint)?.[1] ?? null;
}

function rename(draft: Draft, path: string, name: string | null): void {
  let moved: Json | undefined;
  edit(draft, path, (value) => {
    moved = value;
    return undefined;
  });
  if (name !== null && moved !== undefined) edit(draft, path.replace(/[^/]*$/, name), () => moved);
}

function extraKey(draft: Draft, { path, hint }: Line): void {
  const renamed = /^rename \S+ to (\w+)/.exec(hint)?.[1];
  if (renamed !== undefined) return rename(draft, path, renamed);
  const key = path.slice(path.lastIndexOf('/') + 1);
  const target =
    /^move \S+ into (\/\S+)/.exec(hint)?.[1] ??
    ('state_patch' in draft && !inserted.has(draft) ? null : '/state_patch');
  let moved: Json | undefined;
  edit(draft, path, (value) => {
    moved = value;
    return undefined;
  });
  if (target === null || moved === undefined) return;
  edit(draft, target, (holder) => holder ?? {});
  if (target === '/state_patch') inserted.add(draft);
  edit(draft, `${target}/${key}`, () => moved);
}

/** Drafts whose patch was put in here because the reply had none. */
const inserted = new WeakSet<Draft>();

function patchForm(draft: Draft, { hint }: Line): void {
  const patch = draft['state_patch'];
  if (hint.startsWith('this is a list of operations')) {
    const merged: Draft = {};
    for (const { path, value } of patch as unknown as { path: string; value: Json }[])
      merged[path.slice(1)] = value;
    draft['state_patch'] = merged;
  } else if (hint.startsWith('this is a merge object')) {
    const members = Object.entries(patch as Draft);
    draft['state_patch'] = members.map(([key, value]) => ({ op: 'set', path: `/${key}`, value }));
  } else draft['state_patch'] = hint.startsWith('put the operation into a list') ? [patch as Json] : {};
}

function actionForm(draft: Draft, { path, hint }: Line): void {
  const action = draft['action'] ?? null;
  const form = /write (?:the action as an object, )?(\{"tool": "([^"]+)", "args": (.*?)\})(?:;|$)/.exec(hint);
  if (/one action, not a list/.test(hint)) draft['action'] = (action as readonly Json[])[0] as Json;
  else if (path !== '/action' && path !== '/action/args') {
    const key = path.slice('/action/'.length);
    draft['action'] = { tool: key, args: (action as Draft)[key] as Json };
  } else if (form === null || form[2]?.startsWith('<')) draft['action'] = { tool: 'wait', args: {} };
  else draft['action'] = { tool: form[2] ?? '', args: filled(form[3] ?? '', words(action, form[2] ?? '')) };
}

/** The words behind the tool's name, without quotes, brackets and argument names. */
function words(action: Json, tool: string): string[] {
  const text =
    typeof action === 'string' ? action.replace(tool, '') : JSON.stringify((action as Draft)['args']);
  return (text.match(/[\w.-]+(?!\w*\s*=)/g) ?? []).filter((word) => !text.includes(`${word}=`));
}

function filled(form: string, values: readonly string[]): Json {
  const names = [...form.matchAll(/"(\w+)": …/g)].map((match) => match[1] ?? '');
  return Object.fromEntries(names.map((name, index) => [name, values[index] ?? 'unknown']));
}

function eachOperation(draft: Draft, path: string, change: (op: Draft) => Draft): void {
  const operations = draft['state_patch'] as Draft[];
  draft['state_patch'] = operations.map((op) => (op['path'] === path ? change(op) : op));
}

function knownForm(value: Json | undefined): Json {
  return { $append: Object.values(value as Draft)[0] as Json };
}

/** The JSON values that a hint lists between two of its words. */
function listed(hint: string, from: string, to: string): Json[] {
  const start = hint.indexOf(from) + from.length;
  return JSON.parse(`[${hint.slice(start, hint.indexOf(to, start))}]`) as Json[];
}

function withKept(value: Json | undefined, { hint }: Line): Json {
  return [...listed(hint, 'items: ', '. Send'), ...(value as readonly Json[])];
}

function withoutKnown(value: Json | undefined, { hint }: Line): Json {
  const known = listed(`: ${hint}`, ': ', ' is in the list');
  return (value as readonly Json[]).filter((item) => !known.includes(item));
}

function added(value: Json | undefined, { hint }: Line): Json {
  return { $add: Number(value) - Number(/now (-?[\d.]+)/.exec(hint)?.[1]) };
}

function wholeList(value: Json | undefined, { hint }: Line): Json | undefined {
  if (!hint.startsWith('wanted array')) return undefined;
  const [old] = listed(hint, 'would erase ', ': send');
  return [...(old as readonly Json[]), value as Json];
}

function shorter(value: Json | undefined, { hint }: Line): Json | undefined {
  const most = Number(/at most (\d+)/.exec(hint)?.[1]);
  return typeof value === 'string' || Array.isArray(value) ? value.slice(0, most) : undefined;
}

function unknownKey(draft: Draft, line: Line): void {
  if (!line.hint.includes('leave out the wrapper'))
    return rename(draft, `/state_patch${line.path}`, suggestion(line));
  editPatch(draft, line, (value) => {
    Object.assign(draft['state_patch'] as Draft, value);
    return undefined;
  });
}

/** Records that lack what the hint says is required cannot be completed here: they are left out. */
function dropRecord(draft: Draft, { path, hint }: Line): void {
  const member = /(\w+) is required|needs (\w+)/.exec(hint)?.slice(1).find(Boolean) ?? '';
  edit(draft, `/state_patch/${path.split('/')[1]}`, (value) =>
    Array.isArray(value) ? (value as Draft[]).filter((record) => member in record) : value,
  );
}

/** A value that does what the hint wants; undefined (left out) where it says nothing usable. */
function fitting(value: Json | undefined, line: Line): Json | undefined {
  const { hint } = line;
  const meant = suggestion(line) ?? /send it as text: "(.*)"/.exec(hint)?.[1];
  if (meant !== undefined && meant !== null) return meant;
  const number = /-?\d+(?:\.\d+)?/.exec(typeof value === 'string' ? value : '')?.[0];
  if (/integer|number/.test(hint) && typeof value === 'string')
    return number === undefined ? undefined : Number(number);
  const least = /must be >= (-?\d+)/.exec(hint)?.[1];
  if (least !== undefined) return Number(least);
  return undefined;
}
