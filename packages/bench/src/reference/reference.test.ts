import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { createDelayed, DELAYS } from '../env/delayed/delayed.ts';
import type { DelayedCondition } from '../env/delayed/skill.ts';
import { composeObservation, type Episode, type JsonDocument } from '../env/environment.ts';
import { createRepository } from '../env/repository/repository.ts';
import { CROWDED, createWarehouse } from '../env/warehouse/warehouse.ts';
import { paperMix } from './faults.ts';
import { createReference, type Reference } from './reference.ts';
import { buildSummaryPrompt, writeSummary } from './summary.ts';

type Turn = { observation: string; response: string };
/** A strategy, as plainly as it can be written: the prompt of a turn, and what it keeps from the reply. */
type Arm = (
  instructions: string,
  initial: JsonDocument,
) => {
  prompt(observation: string): string;
  read(reply: string, observation: string): string;
};

function merge(target: JsonDocument, patch: JsonDocument): JsonDocument {
  const out: Record<string, JsonDocument[string]> = { ...target };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete out[key];
    else if (typeof value === 'object' && !Array.isArray(value)) {
      out[key] = merge((out[key] ?? {}) as JsonDocument, value as JsonDocument);
    } else out[key] = value;
  }
  return out;
}

const actionOf = (reply: string): string => /^Action: (.*)$/m.exec(reply)?.[1] ?? '';
const transcript = (turns: readonly Turn[], label: string): string =>
  turns.map(({ observation, response }) => `Observation: ${observation}\n${label}: ${response}\n`).join('');
const ASK = "Generate your next reasoning and action (format 'Action: <cmd>'):";

const stateArm =
  (render: (instructions: string, state: JsonDocument, observation: string) => string): Arm =>
  (instructions, initial) => {
    let state = initial;
    return {
      prompt: (observation) => render(instructions, state, observation),
      read(reply) {
        const json = JSON.parse(/```json\n([\s\S]*?)\n```/.exec(reply)?.[1] ?? '') as Record<string, never>;
        state = merge(state, json['state_patch'] ?? {});
        return json['action'] ?? '';
      },
    };
  };

const paperPrompt = (instructions: string, state: JsonDocument, observation: string): string =>
  `Instructions:\n${instructions}\n\nSkill Execution State:\n\`\`\`json\n${JSON.stringify(state)}\n\`\`\`\n\nLatest Observation:\n${observation}\n\nProvide your response with:\n1. Step-by-step reasoning\n2. A JSON block {"state_patch": {}, "action": "<string>"}`;
const paper = stateArm(paperPrompt);
const cached = stateArm(
  (instructions, state, observation) =>
    `${instructions}\n\n## Reply\n{"state_patch": {"<field>": "<new value>"}, "action": "<the exact command>"}\n\n## State\n\`\`\`json\n${JSON.stringify(state, null, 2)}\n\`\`\`\n\n## Observation\n${JSON.stringify({ step: 3, args: { command: 'Store item_1 shelf_9' }, content: observation })}\n\n## Notices\nrejected: Store item_2 shelf_8\n\nReply with one \`\`\`json block with exactly the keys state_patch and action.`,
);
const quoted = stateArm(
  (instructions, state, observation) =>
    `${instructions}\n\n## State\n\`\`\`json\n${JSON.stringify(state)}\n\`\`\`\n\n## Observation\nstatus: ok\n${observation.replace(/^/gm, '> ')}\n\nReply with one \`\`\`json block with exactly the keys state_patch and action.`,
);

const prompt: Arm = (instructions) => {
  const turns: Turn[] = [];
  return {
    prompt: (observation) =>
      `Instructions:\n${instructions}\n\nHistory:\n${transcript(turns, 'Reasoning & Action')}\nLatest Observation: ${observation}\n\n${ASK}`,
    read(response, observation) {
      turns.push({ observation, response });
      return actionOf(response);
    },
  };
};

const memory =
  (reference: Reference, cap: number | null): Arm =>
  (instructions) => {
    let previous = '';
    let turns: Turn[] = [];
    return {
      prompt: (observation) =>
        `Instructions:\n${instructions}\n\nSummarized History:\n${previous}\n\nRecent History:\n${transcript(turns.slice(-3), 'Response')}\nLatest Observation: ${observation}\n\n${ASK}`,
      read(response, observation) {
        turns = [...turns, { observation, response }];
        if (turns.length > 3) {
          const folded = transcript(turns.splice(0, 1), 'Response');
          previous = reference.reply(buildSummaryPrompt({ instructions, previous, turns: folded, cap }), 1);
        }
        return actionOf(response);
      },
    };
  };

const stateful =
  (withTranscript: boolean): Arm =>
  (instructions, initial) => {
    const turns: Turn[] = [];
    let state = initial;
    return {
      prompt: (observation) =>
        `Instructions:\n${instructions}\n\nCurrent State:\n${JSON.stringify(state, null, 2)}\n\n${withTranscript ? `History:\n${transcript(turns, 'Response')}\n` : ''}Latest Observation: ${observation}\n\nUpdate the state if necessary, provide reasoning, and output 'Action: <cmd>'. To update state, use the format: StateUpdate: {"key": "value"}`,
      read(response, observation) {
        turns.push({ observation, response });
        const update = /^StateUpdate: (.*)$/m.exec(response)?.[1];
        if (update !== undefined) state = { ...state, ...(JSON.parse(update) as JsonDocument) };
        return actionOf(response);
      },
    };
  };

const truncated =
  (kept: number): Arm =>
  (instructions) => {
    const turns: Turn[] = [];
    return {
      prompt: (observation) =>
        `Instructions:\n${instructions}\n\nHistory:\n${transcript(turns.slice(-kept), 'Response')}\nLatest Observation: ${observation}\n\n${ASK}`,
      read(response, observation) {
        turns.push({ observation, response });
        return actionOf(response);
      },
    };
  };

const reference = createReference({ reasoning: 'paper' });

function play(episode: Episode, arm: Arm, reader: Reference = reference): Episode {
  const { environment, skill } = episode;
  const strategy = arm(skill.instructions, skill.initial);
  let result: string | null = null;
  let call = 0;
  while (environment.turn() < environment.horizon) {
    const observation = composeObservation(result, environment.event(environment.turn()));
    const command = strategy.read(reader.reply(strategy.prompt(observation), call++), observation);
    result = environment.act(command).text;
  }
  return episode;
}

const scoreOf = (episode: Episode, arm: Arm): number => play(episode, arm).truth.score().score;

test('with a state block the reference scores 1.00 in every layout, environment and noise level', () => {
  for (const arm of [paper, cached, quoted]) {
    for (const seed of [1, 2]) {
      for (const events of [0, 50]) {
        const noise = { events, overrides: true };
        for (const crowded of [0, CROWDED]) {
          expect(scoreOf(createWarehouse({ seed, horizon: 200, crowded, noise }), arm)).toBe(1);
        }
        expect(scoreOf(createRepository({ seed, horizon: 200, noise }), arm)).toBe(1);
      }
    }
  }
});

test('every state on the way is valid against its skill', () => {
  const conditions = ['none', 'notes', 'named', 'recall'] as const;
  for (const episode of [
    createWarehouse({ seed: 3, horizon: 150, crowded: CROWDED }),
    createRepository({ seed: 3, horizon: 150, branches: 40 }),
    ...conditions.map((condition) => createDelayed({ seed: 3, horizon: 150, condition })),
  ]) {
    const { skill } = episode;
    const valid = new Ajv2020({ strictRequired: false, keywords: ['x-merge'] }).compile(skill.state);
    expect(valid(skill.initial)).toBe(true);
    const checked = stateArm((instructions, state, observation) => {
      if (!valid(state)) throw new Error(JSON.stringify(valid.errors));
      return paperPrompt(instructions, state, observation);
    });
    play(episode, checked);
  }
});

test('whole transcripts, uncapped summaries and shallow state updates lose nothing either', () => {
  for (const arm of [prompt, memory(reference, null), stateful(true), stateful(false)]) {
    const noise = { events: 5, overrides: true };
    expect(scoreOf(createWarehouse({ seed: 1, horizon: 100, crowded: CROWDED, noise }), arm)).toBe(1);
    expect(scoreOf(createRepository({ seed: 1, horizon: 100, noise }), arm)).toBe(1);
  }
});

test('a window and a capped summary lose facts, the smaller the more', () => {
  for (const create of [
    () => createWarehouse({ seed: 1, horizon: 100, crowded: CROWDED }),
    () => createRepository({ seed: 1, horizon: 100, branches: 20 }),
  ]) {
    const windows = [2, 10, 40].map((kept) => scoreOf(create(), truncated(kept)));
    const caps = [60, 300, 900].map((cap) => scoreOf(create(), memory(reference, cap)));
    for (const scores of [windows, caps]) {
      expect(scores[0]).toBeLessThan(0.9);
      expect(scores[0]).toBeLessThan(scores[2] as number);
    }
  }
});

test('state recovers in 0 steps wherever its schema can hold the changed fact, and not from a canceled order', () => {
  for (const seed of [1, 2, 3, 4, 5]) {
    for (const scenario of ['secret-audit', 'secret-barcode', 'secret-move', 'canceled-order'] as const) {
      const episode = play(createWarehouse({ seed, horizon: 60, drift: { scenario, gap: 2 } }), cached);
      expect(episode.truth.recovery()?.steps).toBe(scenario === 'canceled-order' ? null : 0);
    }
    for (const scenario of ['force-push', 'flaky-test', 'closed-pr'] as const) {
      const episode = play(createRepository({ seed, horizon: 60, drift: { scenario, gap: 2 } }), cached);
      expect(episode.truth.recovery()?.steps).toBe(0);
    }
  }
});

test('a fact of unforeseen use is recovered where the state has a place for it or a log can be searched', () => {
  const share = (condition: DelayedCondition): number => {
    const episode = createDelayed({ seed: 2, horizon: 300, condition });
    const groups = new Set<string | null>();
    let [asked, right] = [0, 0];
    const environment = {
      ...episode.environment,
      act(command: string) {
        const result = episode.environment.act(command);
        const last = episode.truth.last();
        if (result.advanced && last?.group != null) {
          groups.add(last.group);
          asked += 1;
          right += Number(last.correct);
        }
        return result;
      },
    };
    play({ ...episode, environment }, cached);
    expect(groups).toEqual(new Set(DELAYS.map((delay) => `delay ${delay}`)));
    return right / asked;
  };
  expect(share('none')).toBe(0);
  expect(share('notes')).toBeGreaterThan(0.3);
  expect(share('notes')).toBeLessThan(1);
  for (const condition of ['named', 'reminder', 'recall'] as const) expect(share(condition)).toBe(1);
});

test('a reply is a function of options, prompt and call index alone', () => {
  const text = paper('warehouse', { inventory: { shelf_0: 'item_1' } }).prompt('Customer ordered item_1.');
  const options = { seed: 4, reasoning: 'paper', faults: paperMix(0.5) } as const;
  for (let call = 0; call < 50; call++) {
    expect(createReference(options).reply(text, call)).toBe(createReference(options).reply(text, call));
  }
  const lengths = [0, 1, 2, 3].map((call) => reference.reply(text, call).indexOf('\n\n'));
  for (const length of lengths) expect(length).toBeGreaterThanOrEqual(400);
  for (const length of lengths) expect(length).toBeLessThanOrEqual(700);
  expect(new Set(lengths).size).toBeGreaterThan(1);
  expect(createReference().reply(text, 0)).toBe(
    '```json\n{"state_patch":{"inventory":{"shelf_0":null}},"action":"Ship item_1 shelf_0"}\n```',
  );
});

test('faults come at their rates and at the same calls in every strategy', () => {
  const faulty = createReference({ faults: paperMix(0.3), seed: 7 });
  const observation = 'Customer ordered item_1.';
  const state = { inventory: { shelf_0: 'item_1', shelf_1: 'item_2' } };
  const spoiled = (text: string): number[] =>
    Array.from({ length: 2000 }, (_, call) => call).filter(
      (call) => faulty.reply(text, call) !== createReference().reply(text, call),
    );
  const inState = spoiled(paper('warehouse', state).prompt(observation));
  const inUpdate = spoiled(stateful(false)('warehouse', state).prompt(observation));
  const inText = spoiled(
    prompt('warehouse', state).prompt(`Success: Stored item_1 on shelf_0.\n${observation}`),
  );
  expect(inUpdate.length / 2000).toBeCloseTo(0.3, 1);
  expect(inState.every((call) => inUpdate.includes(call))).toBe(true);
  expect(inText.every((call) => inUpdate.includes(call))).toBe(true);
});

test('a wrong command is well formed, is refused or missed, and the state is right again one turn later', () => {
  const faults = { overwrite: 0, types: 0, syntax: 0, action: 0.1 };
  for (const seed of [1, 2, 3]) {
    const reader = createReference({ faults, seed });
    const { score } = play(createRepository({ seed, horizon: 200 }), cached, reader).truth.score();
    expect(score).toBeLessThan(1);
    expect(score).toBeGreaterThan(0.5);
  }
});

test('a summary under a cap drops the least recently changed facts, says how many, and never exceeds the cap', () => {
  const entries = Array.from({ length: 40 }, (_, i) => `shelf_${i}=item_${i}`);
  expect(writeSummary(entries, null)).toContain('Known: shelf_0=item_0; shelf_1');
  for (let cap = 0; cap < 900; cap += 7) {
    const text = writeSummary(entries, cap);
    expect(text.length).toBeLessThanOrEqual(cap);
    if (cap > 60) expect(text).toMatch(/shelf_39=item_39/);
  }
  expect(writeSummary(entries, 100)).toMatch(/^Known: .*shelf_39=item_39\. \(\d+ older facts dropped\)$/);
});

test('any text gets a reply: the reader never throws', () => {
  for (const text of [
    '',
    '## State',
    'Latest Observation:',
    '## State\n```json\n{"a":\n```',
    '{{{',
    'Current State: []',
  ]) {
    expect(reference.reply(text, 0)).toMatch(/Action: Wait|"action"/);
  }
});
