/** `npm run example -- 02-notes/run.ts`: runs an example with the Node that the checkout brings. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const [name = '', ...args] = process.argv.slice(2);
const file = join(import.meta.dirname, name);
if (!/^\d\d-[a-z-]+\/[a-z-]+\.ts$/.test(name) || !existsSync(file)) {
  process.stderr.write('name an example, such as 02-notes/run.ts (examples/README.md lists them)\n');
  process.exitCode = 1;
} else {
  process.exitCode = spawnSync(process.execPath, [file, ...args], { stdio: 'inherit' }).status ?? 1;
}
