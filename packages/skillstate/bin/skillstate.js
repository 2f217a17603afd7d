#!/usr/bin/env node
// Plain JavaScript, so that an older Node reads it and can be told what it lacks.
import { readFileSync } from 'node:fs';

const major = Number(process.versions.node.split('.')[0]);
if (major < 24) {
  process.stderr.write(
    `skillstate needs Node 24 or newer, this is ${process.versions.node}.\n` +
      'In a checkout of the project, `npm run skillstate -- …` uses the Node that the project brings.\n',
  );
  process.exitCode = 1;
} else if (process.argv.length === 3 && (process.argv[2] === '--version' || process.argv[2] === '-V')) {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  process.stdout.write(`${version}\n`);
} else {
  const { main } = await import('../dist/main.js');
  process.exitCode = await main(process.argv);
}
