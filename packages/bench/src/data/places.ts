import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const checkout = fileURLToPath(new URL('../../../../', import.meta.url));

/**
 * Where the data of public benchmarks is looked for, best first: the folder that was named, and nothing else; or else
 * the folder in the environment variable SKILLSTATE_VECTORS, then `../shared/vectors` beside the current directory and
 * beside this checkout.
 */
export function dataPlaces(named?: string): string[] {
  if (named !== undefined) return [resolve(named)];
  const variable = process.env['SKILLSTATE_VECTORS'];
  const usual = [resolve('../shared/vectors'), resolve(checkout, '../shared/vectors')];
  const places = variable === undefined || variable === '' ? usual : [resolve(variable), ...usual];
  return [...new Set(places)];
}
