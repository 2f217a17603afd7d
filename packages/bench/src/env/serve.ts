import { parseArgs } from 'node:util';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createEnvironment, ENVIRONMENTS, oneOf } from './create.ts';
import { createEnvironmentServer, resumeEpisode } from './server.ts';

/**
 * `node serve.js --environment warehouse --seed 1 --horizon 50 [--noise N] [--overrides] [--drift NAME]
 * [--condition NAME] [--score FILE] [--journal FILE]`: one episode over stdio.
 */
const { values } = parseArgs({
  options: {
    environment: { type: 'string', default: 'warehouse' },
    seed: { type: 'string', default: '1' },
    horizon: { type: 'string', default: '50' },
    noise: { type: 'string', default: '0' },
    overrides: { type: 'boolean', default: false },
    drift: { type: 'string' },
    condition: { type: 'string' },
    score: { type: 'string' },
    journal: { type: 'string' },
  },
});
const { drift, condition, score, journal } = values;
const episode = createEnvironment({
  environment: oneOf(ENVIRONMENTS, values.environment),
  seed: Number(values.seed),
  horizon: Number(values.horizon),
  noise: Number(values.noise),
  overrides: values.overrides,
  ...(drift !== undefined && { drift }),
  ...(condition !== undefined && { condition }),
});
const files = { ...(score !== undefined && { score }), ...(journal !== undefined && { journal }) };
if (journal !== undefined) resumeEpisode(episode, journal);
serveStdio(() => createEnvironmentServer(episode, files));
