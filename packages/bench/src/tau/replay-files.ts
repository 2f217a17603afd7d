import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { dataPlaces } from '../data/places.ts';
import { type TauAction, toolsOf } from './call.ts';
import { findTauData, loadTau, type TauDomain } from './load.ts';
import { readJson } from './python/json.ts';
import type { PyDict, PyValue } from './python/value.ts';
import { asDict, asList, asText, toAction } from './task.ts';
import type { DomainName } from './tool.ts';

/** Vector files of one folder, sorted by name. */
export interface VectorFiles {
  readonly folder: string;
  readonly files: readonly string[];
}

/** The vector files at a path: one file, or the folder `path`, `path/vectors`, `path/tau` or `path/tau/vectors`. */
export function findVectors(path: string): VectorFiles {
  if (existsSync(path) && statSync(path).isFile())
    return { folder: dirname(path), files: vectorPattern.test(basename(path)) ? [basename(path)] : [] };
  const candidates = [path, join(path, 'vectors'), join(path, 'tau', 'vectors'), join(path, 'tau')];
  const folder = candidates.find((place) => existsSync(place) && vectorFiles(place).length > 0);
  if (folder === undefined)
    throw new Error(
      `no τ-bench vectors in ${path} (looked for calls_*.jsonl and the like in ${candidates.join(', ')})`,
    );
  return { folder, files: vectorFiles(folder) };
}

const vectorPattern =
  /^(?:.*calls.*\.jsonl|.*hash_vectors.*\.jsonl|.*reward.*\.jsonl|.*task_hashes_.*\.json|initial_hashes\.json|python_names\.json)$/;

function vectorFiles(folder: string): string[] {
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

/** Loads domains when first asked for: from `data`, or from the folders around the vectors, or from the usual places. */
export function domainLoader(folder: string, data: string | undefined): (domain: DomainName) => TauDomain {
  const around = [folder, join(folder, '..'), join(folder, '..', '..')];
  const places = data === undefined ? [...around, ...dataPlaces()] : [data];
  const loaded = new Map<DomainName, TauDomain>();
  return (domain) => {
    const known = loaded.get(domain) ?? loadTau(findTauData(places, domain), domain);
    loaded.set(domain, known);
    return known;
  };
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
