/** Sizes that the prompt keeps whatever it is given, in UTF-8 bytes or counts; the skill sets the others (R3). */
export const BOUNDS = {
  /** A name of a tool, source, sender, zone or handle. */
  name: 128,
  /** The arguments of the last action. */
  args: 2048,
  /** Notices beside the rejection, and the text of each. */
  notices: 8,
  noticeText: 1536,
  issues: 12,
  issueCode: 64,
  issuePath: 160,
  issueHint: 600,
  fragment: 1024,
  /** Largest number in `and n more`. */
  more: 999,
} as const;
