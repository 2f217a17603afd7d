import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** A compiled program of this folder, or of another package by its path from here. */
export function programPath(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}

/** Runs a program of this folder in a process of its own; its one JSON line. */
export function measured<T>(name: string, ...args: readonly (string | number)[]): T {
  return measuredUnder<T>([], name, ...args);
}

/** The same under flags of Node. */
export function measuredUnder<T>(
  flags: readonly string[],
  name: string,
  ...args: readonly (string | number)[]
): T {
  const text = execFileSync(process.execPath, [...flags, programPath(name), ...args.map(String)], {
    encoding: 'utf8',
  });
  return JSON.parse(text) as T;
}

/** Wall time of a whole process, in ms. */
export function processMs(args: readonly string[]): number {
  const begin = performance.now();
  execFileSync(process.execPath, args, { stdio: 'ignore' });
  return performance.now() - begin;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** Lines of cells set right, the first line as the head. */
export function tableText(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) => row.map((cell, column) => cell.padStart(widths[column] ?? 0)).join('  '))
    .join('\n');
}
