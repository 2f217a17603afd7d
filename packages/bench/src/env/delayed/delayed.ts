import { parseCommand } from '../command.ts';
import type { Episode } from '../environment.ts';
import { createEpisode } from '../episode.ts';
import type { Applied, Game, Turn } from '../game.ts';
import { type NoiseOptions, withNoise } from '../noise.ts';
import { randomAt } from '../random.ts';
import { warehouseGame, type WarehouseTurn } from '../warehouse/warehouse.ts';
import { type DelayedCondition, delayedSkill } from './skill.ts';

export type DelayedOptions = {
  readonly seed: number;
  readonly horizon: number;
  readonly condition: DelayedCondition;
  readonly noise?: NoiseOptions;
};

/** Turns between an announcement and its question; a question waits for the first turn that has none. */
export const DELAYS = [5, 10, 25, 50, 100] as const;

type Fact = { readonly name: string; readonly code: number; readonly told: number };
type DelayedTurn = Turn & { readonly inner: WarehouseTurn | null; readonly asked: Fact | null };

const RECALLS_PER_TURN = 3;

/**
 * The warehouse with facts whose use comes later: one event in six also announces a dock's gate code, and a question
 * about it replaces the event of a turn 5 to 100 later. The verdicts of questions are grouped as `delay N`.
 */
export function createDelayed(options: DelayedOptions): Episode {
  const { seed, horizon, noise } = options;
  return createEpisode(delayedGame(options), horizon, withNoise('warehouse', seed, noise));
}

function delayedGame({ seed, horizon, condition }: DelayedOptions): Game<DelayedTurn> {
  const inner = warehouseGame({ seed, horizon });
  let due = new Map<number, Fact & { delay: number }>();
  let told: Fact[] = [];
  let asked: Fact | null = null;
  let recalls = 0;

  const announce = (turn: number): string => {
    const random = randomAt(seed, 'delayed', turn);
    const delay = random.pick(DELAYS);
    if (!random.chance(1 / 6) || turn + delay >= horizon) return '';
    const fact = { name: `dock_${turn + 1}`, code: 1000 + random.below(9000), told: turn };
    let at = turn + delay;
    while (due.has(at)) at += 1;
    if (at < horizon) due.set(at, { ...fact, delay });
    told = [...told, fact].filter(({ told: since }) => since > turn - 200);
    return ` ${sentence(fact)}`;
  };
  const recall = (name: string): Applied => {
    recalls += 1;
    const found = told.find((fact) => fact.name === name);
    const text = found ? `Found: ${sentence(found)}` : `Found: nothing about ${name.slice(0, 24)}.`;
    return { ok: true, text, advanced: recalls > RECALLS_PER_TURN };
  };
  return {
    name: `delayed-${condition}`,
    skill: delayedSkill(condition),
    scenario: null,
    reset() {
      inner.reset();
      due = new Map();
      told = [];
    },
    draw(turn) {
      const question = due.get(turn) ?? null;
      due.delete(turn);
      asked = question;
      recalls = 0;
      if (question) {
        const text = `Question: what is the gate code of ${question.name}?`;
        return { text, actionable: true, inner: null, asked: question, group: `delay ${question.delay}` };
      }
      const event = inner.draw(turn);
      return { ...event, text: event.text + announce(turn), inner: event, asked: null };
    },
    apply(turn, text) {
      const command = parseCommand(text);
      if (command?.verb === 'Recall' && condition === 'recall') return recall(command.args.at(-1) ?? '');
      if (command?.verb !== 'Report') return inner.apply(turn, text);
      return asked && text.trim() === right(asked)
        ? { ok: true, text: `Success: Reported ${asked.name}.` }
        : { ok: false, text: 'Error: that is not the answer to an open question.' };
    },
    accepts: (event, text) =>
      event.inner
        ? inner.accepts(event.inner, text)
        : event.asked !== null && text.trim() === right(event.asked),
    answer: (event) => (event.inner ? inner.answer(event.inner) : event.asked ? right(event.asked) : 'Wait'),
    settle(event, correct) {
      if (event.inner) inner.settle(event.inner, correct);
    },
  };
}

const sentence = ({ name, code }: Fact): string => `Announcement: the gate code of ${name} is ${code}.`;
const right = ({ name, code }: Fact): string => `Report ${name} ${code}`;
