import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json } from '../types.ts';
import { settle } from './explain.ts';
import { FORMAT_SCHEMA } from './format.ts';
import { settleFormat } from './parts.ts';
import { compileWithDefaults } from './schema.ts';
import { NO_SOURCE } from './source.ts';

type Document = Record<string, Json>;

const value: fc.Arbitrary<Json> = fc.constantFrom<Json>(
  'a',
  '',
  0,
  5,
  1.5,
  true,
  null,
  [],
  ['a'],
  ['a', 'a'],
  {},
  { x: 1 },
);
const copied = <T>(json: T): T => JSON.parse(JSON.stringify(json)) as T;
const object = (keys: readonly string[]): fc.Arbitrary<Json> =>
  fc.dictionary(fc.constantFrom(...keys), value, { maxKeys: 3 }) as fc.Arbitrary<Json>;
const actions = ['command', 'functions', 'recall', 'allow', 'shell', 'files', 'tools', 'servers', 'alow'];
const member: fc.Arbitrary<[string, Json]> = fc.oneof(
  fc.tuple(fc.constant('actions'), fc.oneof(object(actions), value)),
  fc.tuple(fc.constant('limits'), object(['steps', 'rejections', 'stesp'])),
  fc.tuple(fc.constant('observation'), object(['resultBytes', 'messages'])),
  fc.tuple(fc.constantFrom('state', 'version', 'done', 'layout', 'approvals', 'migrations', 'stat'), value),
);

test('a document settled part by part has the issues and the defaults that the whole format gives', () => {
  const whole = compileWithDefaults(FORMAT_SCHEMA);
  fc.assert(
    fc.property(fc.array(member, { maxLength: 5 }), (members) => {
      const [one, two] = [members, members].map((list) => Object.fromEntries(copied(list))) as [
        Document,
        Document,
      ];
      const wanted = settle(whole, one, NO_SOURCE).map((issue) => JSON.stringify(issue));
      const found = settleFormat(two, NO_SOURCE).map((issue) => JSON.stringify(issue));
      expect(found.toSorted()).toEqual(wanted.toSorted());
      expect(two).toEqual(one);
    }),
    { numRuns: 500 },
  );
});
