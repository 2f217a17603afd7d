import type { Pointer } from '../types.ts';

/** Where the parts of a value stand in its source; for values made in code nothing is known. */
export type Source = {
  /** `SKILL.state.yaml line 12: `, or ''. */
  where(path: Pointer): string;
  /** The text of an unquoted scalar that YAML read as something else than text; null for anything else. */
  plain(path: Pointer): string | null;
};

export const NO_SOURCE: Source = { where: () => '', plain: () => null };
