import { InvalidArgumentError } from 'commander';

/** A whole number from 0 up. */
export function count(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isSafeInteger(value) || value < 0)
    throw new InvalidArgumentError('a whole number is wanted');
  return value;
}

/** A whole number from 1 up. */
export function whole(text: string): number {
  const value = count(text);
  if (value === 0) throw new InvalidArgumentError('a whole number from 1 up is wanted');
  return value;
}

/** Above 0. */
export function amount(text: string): number {
  const value = Number(text);
  if (!(value > 0 && Number.isFinite(value))) throw new InvalidArgumentError('an amount above 0 is wanted');
  return value;
}

/** Reads `10,25,50`; a value that comes twice counts once. */
export function list<T>(item: (text: string) => T): (text: string) => readonly T[] {
  return (text) => [...new Set(text.split(',').map((part) => item(part.trim())))];
}

/** A share from 0 to 1. */
export function share(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= 0 && value <= 1))
    throw new InvalidArgumentError('a rate from 0 to 1 is wanted');
  return value;
}

/** One of some names. */
export function oneOf<T extends string>(names: readonly T[]): (text: string) => T {
  return (text) => {
    const found = names.find((name) => name === text);
    if (found === undefined) throw new InvalidArgumentError(`one of ${names.join(', ')} is wanted`);
    return found;
  };
}
