/** `npm run demo`: the paper's warehouse, 50 steps, with a model that reads nothing but its prompt. */
import { fileURLToPath } from 'node:url';
import { costMain } from '@skillstate/bench';
import { main } from 'skillstate';
import { EVENTS, firstEvent, scoreOf, SEED } from './tools.ts';

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const command = (...args: string[]): Promise<number> => main(['node', 'skillstate', ...args]);
const say = (line = ''): void => void process.stdout.write(`${line}\n`);

const run = `warehouse-${Date.now().toString(36)}`;
say(`The warehouse of the SKILL.state paper: ${EVENTS} events, seed ${SEED}, run ${run}.`);
say(
  'Every line is one step: the model sees the skill, the state and the latest observation, and nothing else.',
);
say();
const exit = await command(
  'run',
  here('./warehouse'),
  '--model',
  `script:${here('./model.ts')}`,
  '--tools',
  here('./tools.ts'),
  '--input',
  firstEvent(),
  '--run',
  run,
);
const { successful, actionable } = scoreOf(run);
say();
say(`The warehouse itself says: ${successful} of ${actionable} events were handled right.`);
say();
say('What the same run would have cost with other ways to build a prompt (input tokens are what grows):');
say(
  'the scripted model reasons for 400 to 700 characters a turn, as in the paper; see WAREHOUSE_REASONING=none npm run demo',
);
say();
await costMain([run]);
say();
say('Look at it:');
say(`  npm run skillstate -- show ${run} --step 17     one step, explained`);
say(`  npm run skillstate -- prompt ${run} --step 50   exactly the bytes the model got`);
say(`  npm run skillstate -- verify ${run}             prove the log`);
say('Kill a run at any moment (kill -9) and go on with: npm run skillstate -- resume RUN');
process.exitCode = exit;
