import type { Prompt } from '@skillstate/runtime';
import type { Measure } from '../strategy/budget.ts';

/** A text's size in characters and in tokens. */
export type Size = { readonly chars: number; readonly tokens: number };
export type Sizer = (text: string) => Size;

export const NONE: Size = { chars: 0, tokens: 0 };

/** The blank line between two parts: two characters; tokens are counted part by part, without it. */
export const JOINT_SIZE: Size = { chars: 2, tokens: 0 };

export function createSizer(tokens: Measure): Sizer {
  return (text) => ({ chars: text.length, tokens: tokens(text) });
}

export function plus(...sizes: readonly Size[]): Size {
  return sizes.reduce((a, b) => ({ chars: a.chars + b.chars, tokens: a.tokens + b.tokens }), NONE);
}

export function minus(a: Size, b: Size): Size {
  return { chars: a.chars - b.chars, tokens: a.tokens - b.tokens };
}

export function times(size: Size, factor: number): Size {
  return { chars: size.chars * factor, tokens: size.tokens * factor };
}

export function promptSize(prompt: Prompt, of: Sizer): Size {
  return plus(...prompt.map(({ text }) => of(text)), times(JOINT_SIZE, Math.max(0, prompt.length - 1)));
}
