import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TauAction, toolsOf } from './call.ts';
import { loadTau, tauCheckoutCommand, type TauDomain } from './load.ts';
import { readJson } from './python/json.ts';
import type { PyDict, PyValue } from './python/value.ts';
import { asDict, asList, asText, toAction } from './task.ts';
import type { DomainName } from './tool.ts';

/** The folder that holds the vector files: `path` itself, `path/vectors` or `path/tau/vectors`. */
export function findVectorFolder(path: string): string {
  const candidates = [path, join(path, 'vectors'), join(path, 'tau', 'vectors')];
  const found = candidates.find((folder) => existsSync(folder) && vectorFiles(folder).length > 0);
  if (found === undefined)
    throw new Error(
      `no τ-bench vectors in ${path} (looked for calls_*.jsonl and the like in ${candidates.join(', ')})`,
    );
  return found;
}

const vectorPattern =
  /^(?:calls_.*\.jsonl|.*hash_vectors.*\.jsonl|.*reward.*\.jsonl|task_hashes_.*\.json|initial_hashes\.json|python_names\.json)$/;

/** The names of the vector files in a folder, sorted. */
export function vectorFiles(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => vectorPattern.test(name))
    .sort();
}

/** Each line of a JSON Lines file as a record. */
export function* readLines(file: string): Generator<PyDict> {
  for (const line of readFileSync(file, 'utf8').split('\n'))
    if (line.trim() !== '') yield asDict(readJson(line), file);
}

export function readDocument(file: string): PyValue {
  return readJson(readFileSync(file, 'utf8'));
}

/** Loads domains when first asked for, from `data` or from the folders around the vectors. */
export function domainLoader(folder: string, data: string | undefined): (domain: DomainName) => TauDomain {
  const places = data === undefined ? [folder, join(folder, '..'), join(folder, '..', '..')] : [data];
  const loaded = new Map<DomainName, TauDomain>();
  return (domain) => {
    const known = loaded.get(domain) ?? loadFirst(places, domain);
    loaded.set(domain, known);
    return known;
  };
}

function loadFirst(places: readonly string[], domain: DomainName): TauDomain {
  const isPlain = (place: string) => existsSync(join(place, domain, 'users.json'));
  const place = places.find(isPlain) ?? (places.length === 1 ? places[0] : undefined);
  if (place === undefined)
    throw new Error(
      `no ${domain} data beside the vectors: give the data folder. To get it: ${tauCheckoutCommand}`,
    );
  return loadTau(place, domain);
}

export function asDomain(value: PyValue | undefined): DomainName {
  const name = asText(value, 'domain');
  if (name !== 'retail' && name !== 'airline') throw new TypeError(`unknown domain ${name}`);
  return name;
}

/** The action of a vector line; its `kwargs_json`, where given, is the exact text of the arguments. */
export function vectorAction(value: PyValue): TauAction {
  const exact = asDict(value, 'action').get('kwargs_json');
  return toAction(value, typeof exact === 'string' ? readJson(exact) : undefined);
}

/** What `python_names.json` says of a domain's tools, beside what this port says. */
export function nameRows(
  domain: DomainName,
  listed: PyDict,
): { tool: string; wanted: string; got: string }[] {
  return [...listed].map(([tool, entry]) => {
    const names = asDict(entry, tool);
    const parameters = asList(names.get('parameters_in_signature_order'), tool).map((name) =>
      asText(name, tool),
    );
    const wanted = `${asText(names.get('python_class'), tool)}(${parameters.join(', ')})`;
    const known = toolsOf(domain).find((candidate) => candidate.name === tool);
    return {
      tool,
      wanted,
      got: known ? `${known.className}(${known.parameters.join(', ')})` : 'no such tool',
    };
  });
}
