import { parseTransition } from '../model/transition.ts';
import { renderState } from '../prompt/render.ts';
import type { Strategy } from '../types.ts';

/** The paper's runtime: a prompt from (P, Σ, O, notices) alone. */
export const stateStrategy: Strategy = {
  name: 'state',
  history: false,
  render: renderState,
  parse: (reply, { skill, mode, dialect, tools }) => parseTransition(reply, { skill, mode, dialect, tools }),
};
