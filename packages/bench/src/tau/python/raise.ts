/** The names of the Python exceptions that the ported code can meet. */
export type PyErrorName =
  | 'TypeError'
  | 'KeyError'
  | 'IndexError'
  | 'ValueError'
  | 'AttributeError'
  | 'ZeroDivisionError'
  | 'OverflowError'
  | 'RecursionError'
  | 'SyntaxError'
  | 'ValidationError';

/** An error that stands for a Python exception: `message` is `str(exception)`, `name` the exception's class. */
export function pyError(name: PyErrorName, message: string): Error {
  const error = new Error(message, { cause: { python: name } });
  error.name = name;
  return error;
}

/** Whether the caught thing stands for a Python exception; anything else is a fault of this program. */
export function isPyError(error: unknown): error is Error {
  const cause = error instanceof Error ? error.cause : undefined;
  return typeof cause === 'object' && cause !== null && 'python' in cause;
}
