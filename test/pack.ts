/** Packs @skillstate/runtime, installs it in an empty folder and imports every export of it: `npm run check:pack`. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');
const MOST_PACKAGES = 10;
const folder = mkdtempSync(join(tmpdir(), 'skillstate-pack-'));
const npm = (args: string[], cwd: string): string =>
  execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });

try {
  npm(['pack', '--pack-destination', folder, '--ignore-scripts', '-w', 'packages/runtime'], ROOT);
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'));
  if (tarball === undefined) throw new Error('npm pack wrote no tarball');
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'empty', private: true, type: 'module' }),
  );
  npm(['install', '--no-audit', '--no-fund', '--omit=dev', '--omit=optional', `./${tarball}`], folder);
  const installed = countPackages(join(folder, 'node_modules'));
  const manifest = JSON.parse(
    readFileSync(join(folder, 'node_modules/@skillstate/runtime/package.json'), 'utf8'),
  ) as { exports: object };
  const paths = Object.keys(manifest.exports).map((path) => `@skillstate/runtime${path.slice(1)}`);
  const script = `let values = 0;
for (const path of ${JSON.stringify(paths)}) values += Object.entries(await import(path)).filter(([, value]) => value !== undefined).length;
const { checkAiSdkModel, openSqliteStore } = await import('@skillstate/runtime');
const missing = await checkAiSdkModel({ provider: 'openai', model: 'any', apiKey: 'none-at-all' });
if (missing === null || !missing.hint.includes('npm')) throw new Error('a missing provider package must say how to install it: ' + JSON.stringify(missing));
await (await openSqliteStore('runs.db')).close();
process.stdout.write(String(values));`;
  writeFileSync(join(folder, 'all.mjs'), script);
  const values = execFileSync(process.execPath, ['all.mjs'], { cwd: folder, encoding: 'utf8' });
  process.stdout.write(
    `${paths.length} entry points, ${values} values, ${installed} packages installed (at most ${MOST_PACKAGES})\n`,
  );
  if (installed > MOST_PACKAGES)
    throw new Error(`${installed} packages are installed, at most ${MOST_PACKAGES} are allowed`);
  process.stdout.write('1 passed, 0 failed\n');
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function countPackages(modules: string): number {
  return readdirSync(modules).reduce((count, name) => {
    if (name.startsWith('.')) return count;
    return count + (name.startsWith('@') ? readdirSync(join(modules, name)).length : 1);
  }, 0);
}
