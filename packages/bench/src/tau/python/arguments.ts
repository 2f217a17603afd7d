import { pyError } from './raise.ts';
import type { PyDict, PyValue } from './value.ts';

/** What Python's error texts need to know of a tool: its class, its module and the names of its parameters. */
export interface Signature {
  readonly className: string;
  readonly module: string;
  readonly parameters: readonly string[];
}

/**
 * Binds keyword arguments as `Class.invoke(data=…, **kwargs)` does and returns them in the order of the parameters.
 * Throws CPython 3.11's TypeErrors: `data` given twice, then unknown names, then missing ones.
 */
export function bindArguments(signature: Signature, kwargs: PyDict): PyValue[] {
  const { className, module, parameters } = signature;
  if (kwargs.has('data'))
    throw pyError(
      'TypeError',
      `${module}.${className}.invoke() got multiple values for keyword argument 'data'`,
    );
  for (const name of kwargs.keys())
    if (!parameters.includes(name))
      throw pyError('TypeError', `${className}.invoke() got an unexpected keyword argument '${name}'`);
  const missing = parameters.filter((name) => !kwargs.has(name));
  if (missing.length > 0)
    throw pyError(
      'TypeError',
      `${className}.invoke() missing ${missing.length} required positional ` +
        `argument${missing.length === 1 ? '' : 's'}: ${enumeration(missing)}`,
    );
  return parameters.map((name) => kwargs.get(name) ?? null);
}

function enumeration(names: readonly string[]): string {
  const quoted = names.map((name) => `'${name}'`);
  if (quoted.length <= 2) return quoted.join(' and ');
  return `${quoted.slice(0, -1).join(', ')}, and ${quoted.at(-1)}`;
}
