/** Imports every export of the built packages: `npm run check:exports`. */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const ROOT = resolve(import.meta.dirname, '..');
let passed = 0;
for (const name of ['runtime', 'bench', 'skillstate']) {
  const folder = join(ROOT, 'packages', name);
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    exports: Record<string, { types: string; default: string }>;
  };
  for (const [path, target] of Object.entries(manifest.exports)) {
    for (const file of [target.types, target.default])
      if (!existsSync(join(folder, file))) throw new Error(`${name}${path.slice(1)}: ${file} is not built`);
    const module = (await import(pathToFileURL(join(folder, target.default)).href)) as Record<
      string,
      unknown
    >;
    const missing = Object.entries(module).filter(([, value]) => value === undefined);
    if (missing.length > 0)
      throw new Error(`${name}${path.slice(1)} exports undefined: ${missing.map(([key]) => key).join(', ')}`);
    process.stdout.write(`${name}${path.slice(1)}: ${Object.keys(module).length} values\n`);
    passed++;
  }
}
process.stdout.write(`${passed} passed, 0 failed\n`);
