import { expect, test } from 'vitest';
import { defineSkill } from '../skill/define.ts';
import { call, playing, reply, world } from './fixture.test.data.ts';

const SKILL = defineSkill({
  name: 'waits',
  description: 'Waits.',
  instructions: 'Wait.',
  state: { type: 'object', properties: { n: { type: 'integer' } } },
});

test('a time that cannot be read is refused, and never waited for', async () => {
  for (const until of ['tomorrow', '2026-03-29T09:00:00', '2026-13-01T00:00:00Z']) {
    const { model, prompts } = playing([reply({ n: 1 }, call('wait', { until }))]);
    const { runtime } = await world({ model });
    const report = await runtime.start(SKILL, { run: 'r' });
    expect([report.status, report.steps]).toEqual(['finished', 1]);
    expect(prompts[1]).toContain('/action/args/until');
  }
});
