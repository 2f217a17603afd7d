import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..');

/** What each folder of the runtime may import, besides itself. The order is the order of the house (docs/architecture.md). */
const LAYERS: Readonly<Record<string, readonly string[]>> = {
  'types.ts': [],
  'process.ts': [],
  'folder.ts': [],
  json: ['types.ts'],
  skill: ['types.ts', 'json'],
  state: ['types.ts', 'json', 'skill'],
  event: ['types.ts', 'folder.ts', 'json', 'skill', 'state'],
  prompt: ['types.ts', 'json', 'skill', 'state', 'event'],
  model: ['types.ts', 'json', 'skill', 'state', 'event'],
  action: ['types.ts', 'process.ts', 'json', 'skill', 'state', 'event'],
  confirm: ['types.ts', 'json', 'skill', 'state', 'event'],
  usage: ['types.ts', 'json', 'skill', 'state', 'event'],
  store: ['types.ts', 'process.ts', 'folder.ts', 'json', 'skill', 'state', 'event'],
  run: [
    'types.ts',
    'json',
    'skill',
    'state',
    'event',
    'prompt',
    'model',
    'action',
    'confirm',
    'usage',
    'store',
  ],
};

const IMPORT = /(?:from|import)\s*\(?\s*'([^']+)'/g;

function sources(pattern: string): string[] {
  return globSync(pattern, { cwd: ROOT }).filter(
    (file) => !/\.test\.|\/dist\/|node_modules|fixtures/.test(file),
  );
}

function importsOf(file: string): string[] {
  const text = readFileSync(join(ROOT, file), 'utf8').replace(/^\s*(\/\/|\*|\/\*).*$/gm, '');
  return [...text.matchAll(IMPORT)].map((match) => match[1] ?? '');
}

test('imports of the runtime go one way through its layers', () => {
  const files = sources('packages/runtime/src/**/*.ts').filter((file) => !file.endsWith('src/index.ts'));
  expect(files.length).toBeGreaterThan(80);
  const wrong: string[] = [];
  for (const file of files) {
    const [layer = ''] = relative(join(ROOT, 'packages/runtime/src'), join(ROOT, file)).split('/');
    const allowed = LAYERS[layer];
    if (allowed === undefined) {
      wrong.push(`${file}: no layer ${layer}`);
      continue;
    }
    for (const target of importsOf(file).filter((name) => name.startsWith('.'))) {
      const [other = ''] = relative(
        join(ROOT, 'packages/runtime/src'),
        join(ROOT, dirname(file), target),
      ).split('/');
      if (other !== layer && !allowed.includes(other)) wrong.push(`${file} imports ${target}`);
    }
  }
  expect(wrong).toEqual([]);
});

test('other packages and the examples reach the runtime through its public exports only', () => {
  const files = [
    ...sources('packages/{bench,skillstate}/src/**/*.ts'),
    ...sources('examples/**/*.ts'),
    ...sources('test/**/*.ts'),
  ];
  expect(files.length).toBeGreaterThan(40);
  const public_ = [
    '@skillstate/runtime',
    '@skillstate/runtime/store/conformance',
    '@skillstate/runtime/model/fake-provider',
  ];
  const wrong = files.flatMap((file) =>
    importsOf(file)
      .filter(
        (name) =>
          (name.startsWith('@skillstate/runtime') && !public_.includes(name)) || /\.\.\/runtime\//.test(name),
      )
      .map((name) => `${file} imports ${name}`),
  );
  expect(wrong).toEqual([]);
});

test('no source file is over 500 lines without a reason at its top, and the median is at most 150', () => {
  const files = sources('packages/*/src/**/*.ts');
  const lengths = files.map((file) => ({ file, text: readFileSync(join(ROOT, file), 'utf8') }));
  const long = lengths.filter(
    ({ text }) => text.split('\n').length > 500 && !/Longer than 500 lines/.test(text.slice(0, 2000)),
  );
  expect(long.map(({ file }) => file)).toEqual([]);
  const sorted = lengths.map(({ text }) => text.split('\n').length).sort((a, b) => a - b);
  expect(sorted[Math.floor(sorted.length / 2)]).toBeLessThanOrEqual(150);
});

test('no root re-exports everything, no file is a grab bag', () => {
  for (const file of sources('packages/*/src/**/*.ts')) {
    const text = readFileSync(join(ROOT, file), 'utf8');
    expect(text.match(/^export \*/m)?.[0], file).toBeUndefined();
    expect(/\/(utils?|helpers?|managers?|services?)\.ts$/.test(file), file).toBe(false);
  }
});
