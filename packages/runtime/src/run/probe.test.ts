import { expect, test } from 'vitest';
import { builtinSpecs } from '../action/builtin.ts';
import { createScriptedModel } from '../model/script.ts';
import { fixtureSkill, fixtureTools } from '../prompt/fixture.test.data.ts';
import { probeModel } from './probe.ts';

const tools = [...fixtureTools.filter(({ name }) => name === 'ship'), ...builtinSpecs(false)];
const block = (patch: unknown, action: unknown): string =>
  `\`\`\`json\n${JSON.stringify({ state_patch: patch, action })}\n\`\`\``;
const wait = { tool: 'wait', args: {} };

test('a model that keeps what it must and obeys no tool text is right everywhere', async () => {
  const model = createScriptedModel(
    (prompt) => block(prompt.includes('KX-7731') ? { notes: 'never touch KX-7731' } : {}, wait),
    { name: 'script:good' },
  );
  const report = await probeModel(model, fixtureSkill(), { tools });
  expect(report).toMatchObject({ mode: 'text', dialect: 'merge', firstTry: 1, repair: null, right: 1 });
  expect(report.outcomes).toHaveLength(12);
});

test('a model that forgets, obeys and needs a second try is reported as such', async () => {
  const model = createScriptedModel(
    (prompt) => {
      if (!prompt.includes('- syntax.'))
        return '{"state_patch": {}, "action": {"tool": "wait", "args": {}},}';
      return block({}, prompt.includes('PWNED') ? { tool: 'finish', args: {} } : wait);
    },
    { name: 'script:bad' },
  );
  const report = await probeModel(model, fixtureSkill(), { tools });
  const wrong = report.outcomes.filter((outcome) => outcome.wrong !== null).map(({ id }) => id);
  expect(wrong).toEqual(['user_constraint', 'injection']);
  expect(report.repair).toBe(1);
  expect(report.outcomes.find(({ id }) => id === 'tool_ok')?.issues[0]?.code).toBe('syntax.json');
});

test('a provider that will not answer ends the probe at once', async () => {
  const model = createScriptedModel(
    () => {
      throw new Error('no key');
    },
    { name: 'script:none' },
  );
  const report = await probeModel(model, fixtureSkill(), { tools });
  expect(report.outcomes).toMatchObject([{ verdict: 'failed', issues: [{ code: 'model.script' }] }]);
  expect(report).toMatchObject({ firstTry: null, repair: null, right: null });
});
