import {
  type ActResult,
  END_OF_EPISODE,
  type Environment,
  type Episode,
  type Recovery,
  type Truth,
  type Verdict,
} from './environment.ts';
import type { Game, Turn } from './game.ts';

/** What the harness may add to an event's text; a pure function of the turn. */
export type Decorate = (text: string, turn: number) => string;

type Tally = {
  successful: number;
  actionable: number;
  last: Verdict | null;
  alert: number | null;
  firstProbe: number | null;
  recovered: number | null;
};

const emptyTally = (): Tally => ({
  successful: 0,
  actionable: 0,
  last: null,
  alert: null,
  firstProbe: null,
  recovered: null,
});

/** Runs a game for `horizon` turns. Memory does not grow with the horizon. */
export function createEpisode<T extends Turn>(game: Game<T>, horizon: number, decorate: Decorate): Episode {
  if (!Number.isSafeInteger(horizon) || horizon < 1) throw new RangeError(`horizon ${horizon}`);
  let turn = 0;
  let tally = emptyTally();
  let open: T | null = null;

  const current = (): T => {
    if (turn >= horizon) throw new RangeError(`the episode ended after turn ${horizon - 1}`);
    open ??= game.draw(turn);
    return open;
  };
  const close = (event: T, correct: boolean): void => {
    record(tally, event, turn, correct);
    game.settle(event, correct);
    turn += 1;
    open = null;
  };
  const act = (command: string): ActResult => {
    const event = current();
    const accepted = game.accepts(event, command);
    const { ok, text, advanced = true } = game.apply(turn, command);
    if (advanced) close(event, ok && accepted);
    return { ok, text, advanced };
  };
  const environment: Environment = {
    name: game.name,
    horizon,
    turn: () => turn,
    event(asked) {
      if (asked === horizon && turn === horizon) return END_OF_EPISODE;
      if (asked !== turn) throw new RangeError(`turn ${asked} is not open; turn ${turn} is`);
      return decorate(current().text, turn);
    },
    act,
    reset() {
      game.reset();
      turn = 0;
      tally = emptyTally();
      open = null;
    },
  };
  game.reset();
  return { environment, truth: truthOf(game, current, () => tally), skill: game.skill };
}

function record(tally: Tally, event: Turn, turn: number, correct: boolean): void {
  const probe = event.probe ?? false;
  tally.last = { turn, actionable: event.actionable, correct, probe, group: event.group ?? null };
  if (event.actionable) tally.actionable += 1;
  if (event.actionable && correct) tally.successful += 1;
  if (event.alert) tally.alert ??= turn;
  if (!probe) return;
  tally.firstProbe ??= turn;
  if (correct) tally.recovered ??= turn;
}

function truthOf<T extends Turn>(game: Game<T>, current: () => T, tally: () => Tally): Truth {
  return {
    answer: () => game.answer(current()),
    last: () => tally().last,
    score() {
      const { successful, actionable } = tally();
      return { successful, actionable, score: actionable === 0 ? 1 : successful / actionable };
    },
    recovery(): Recovery | null {
      if (game.scenario === null) return null;
      const { alert, firstProbe, recovered } = tally();
      const steps = firstProbe === null || recovered === null ? null : recovered - firstProbe;
      return { scenario: game.scenario, alert, firstProbe, steps };
    },
  };
}
