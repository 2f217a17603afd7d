import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { END_OF_EPISODE, type Episode } from './environment.ts';
import { createRepository } from './repository/repository.ts';
import { CROWDED, createWarehouse } from './warehouse/warehouse.ts';

const SEEDS = [1, 2, 3, 4, 5];

function follow(episode: Episode, command = (right: string): string => right): string[] {
  const { environment, truth } = episode;
  const texts: string[] = [];
  for (let turn = environment.turn(); turn < environment.horizon; turn++) {
    texts.push(environment.event(turn), environment.act(command(truth.answer())).text);
  }
  return texts;
}

const all = (seed: number, horizon = 200): Episode[] => [
  createWarehouse({ seed, horizon }),
  createWarehouse({ seed, horizon, crowded: CROWDED }),
  createWarehouse({ seed, horizon, noise: { events: 50, overrides: true } }),
  createRepository({ seed, horizon }),
  createRepository({ seed, horizon, branches: 40 }),
  createRepository({ seed, horizon, noise: { events: 50, overrides: true } }),
];

test('the ground truth scores 1.00 in every environment', () => {
  for (const episode of SEEDS.flatMap((seed) => all(seed))) {
    follow(episode);
    expect(episode.truth.score().score, episode.environment.name).toBe(1);
    expect(episode.truth.score().actionable).toBeGreaterThan(150);
    expect(episode.environment.event(200)).toBe(END_OF_EPISODE);
  }
});

test('P80: an agent that does nothing scores 0, the floor of both environments', () => {
  for (const episode of all(1)) {
    follow(episode, () => 'Wait');
    expect(episode.truth.score()).toMatchObject({ successful: 0, score: 0 });
  }
});

test('two processes print the same bytes for the same seeds', () => {
  const play = fileURLToPath(new URL('./play.test.driver.ts', import.meta.url));
  const [one, two] = [1, 2].map(() => execFileSync(process.execPath, [play], { encoding: 'utf8' }));
  expect(one?.length).toBeGreaterThan(100_000);
  expect(two).toBe(one);
});

test('a reset plays the same episode again, other seeds play others', () => {
  for (const episode of all(3, 60)) {
    const first = follow(episode);
    episode.environment.reset();
    expect(follow(episode)).toEqual(first);
  }
  const texts = SEEDS.map((seed) => follow(createRepository({ seed, horizon: 60 })).join('\n'));
  expect(new Set(texts).size).toBe(SEEDS.length);
});

test('which shelf an agent picks changes no later event but the shelves named in it', () => {
  let turn = 0;
  const spread = (right: string): string =>
    right.replace(/^(Store \S+|Move \S+ \S+) \S+$/, `$1 shelf_${100 + turn++}`);
  const play = (command?: (right: string) => string): string[] =>
    follow(createWarehouse({ seed: 2, horizon: 50 }), command).map((text) =>
      text.replace(/shelf_\d+/g, 'shelf'),
    );
  expect(play(spread)).toEqual(play());
});

test('every agent meets the same kinds of events, whatever it missed', () => {
  const items = (command?: (right: string) => string): string[] =>
    follow(createWarehouse({ seed: 5, horizon: 80, crowded: 40 }), command)
      .filter((_, i) => i % 2 === 0)
      .map((text) => text.replace(/shelf_\d+/, 'shelf'));
  let turn = 0;
  expect(items((right) => (turn++ % 7 === 3 ? 'Wait' : right))).toEqual(items());
});

const WORDS =
  'item_1 item_3 item_999 shelf_0 shelf_1 shelf_499 shelf_500 shelf_01 #3 feature_1 feature_2 master c0000000 v1 12 __proto__ src/a.ts';
const VERBS =
  'Store Ship Move Wait Commit CreatePR Merge FixCI RunTests CherryPick CreateRelease Rollback constructor store';
const word = fc.constantFrom(...WORDS.split(' '));
const verb = fc.constantFrom(...VERBS.split(' '));
const command = fc.oneof(
  fc.tuple(verb, fc.array(word, { maxLength: 4 })).map(([name, args]) => [name, ...args].join(' ')),
  fc.tuple(verb, fc.array(word, { maxLength: 4 })).map(([name, args]) => `${name}(${args.join(', ')})`),
  fc.string({ maxLength: 300 }),
);

test('a command that is refused changes nothing: the rest of the episode is as after Wait', () => {
  fc.assert(
    fc.property(command, fc.integer({ min: 0, max: 59 }), fc.constantFrom(0, 1, 3), (given, at, which) => {
      const [tried, waited] = [all(4, 60)[which] as Episode, all(4, 60)[which] as Episode];
      let turn = 0;
      let refused = false;
      const until = (episode: Episode, odd: string): string[] => {
        turn = 0;
        return follow(episode, (right) => (turn++ === at ? odd : right));
      };
      const one = until(tried, given);
      refused = (one[2 * at + 1] ?? '').startsWith('Error: ');
      if (!refused) return;
      const two = until(waited, 'Wait');
      one.splice(2 * at + 1, 1);
      two.splice(2 * at + 1, 1);
      expect(one).toEqual(two);
      expect(tried.truth.score()).toEqual(waited.truth.score());
    }),
    { numRuns: 300 },
  );
});

test('an error is one line that names the command and is never longer than 200 characters', () => {
  fc.assert(
    fc.property(command, fc.constantFrom(0, 3), (given, which) => {
      const { text } = (all(1, 5)[which] as Episode).environment.act(given);
      expect(text).toMatch(/^(?:Success|Error): [^\n]{1,200}$/);
    }),
    { numRuns: 200 },
  );
});

const WAREHOUSE = ['secret-audit', 'secret-barcode', 'secret-move', 'canceled-order'] as const;
const REPOSITORY = ['force-push', 'flaky-test', 'closed-pr'] as const;

test('in every drift scenario the ground truth answers the first probe, and Wait never recovers but where it is right', () => {
  for (const seed of SEEDS) {
    const drifts = (horizon: number): Episode[] => [
      ...WAREHOUSE.map((scenario) => createWarehouse({ seed, horizon, drift: { scenario, gap: 3 } })),
      ...REPOSITORY.map((scenario) => createRepository({ seed, horizon, drift: { scenario, gap: 3 } })),
    ];
    for (const episode of drifts(80)) {
      follow(episode);
      const recovery = episode.truth.recovery();
      expect(recovery, recovery?.scenario).toMatchObject({ steps: 0 });
      expect((recovery?.firstProbe ?? 0) - (recovery?.alert ?? 0)).toBe(4);
      expect(episode.truth.score().score).toBe(1);
    }
    for (const episode of drifts(80)) {
      follow(episode, (right) => (episode.truth.recovery()?.alert === null ? right : 'Wait'));
      const expected = episode.truth.recovery()?.scenario === 'canceled-order' ? 0 : null;
      expect(episode.truth.recovery()?.steps).toBe(expected);
    }
  }
});

test('5,000 turns run, and the ground truth still scores 1.00', () => {
  for (const episode of [
    createWarehouse({ seed: 1, horizon: 5000 }),
    createRepository({ seed: 1, horizon: 5000 }),
  ]) {
    const { environment, truth } = episode;
    for (let turn = 0; turn < 5000; turn++) {
      environment.event(turn);
      environment.act(truth.answer());
    }
    expect(truth.score().score).toBe(1);
  }
});

test('the only way from an environment to its truth is the episode that the harness holds', () => {
  const { environment } = createWarehouse({ seed: 1, horizon: 3 });
  expect(Object.keys(environment).sort()).toEqual(['act', 'event', 'horizon', 'name', 'reset', 'turn']);
  expect(() => environment.event(1)).toThrow(RangeError);
});
