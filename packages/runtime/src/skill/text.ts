import { wellFormed } from '../json/wellformed.ts';

const NAME = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/** Whether a name is one by the Agent Skills specification. */
export function isSkillName(name: string): boolean {
  return name.length <= 64 && NAME.test(name);
}

/** Well-formed text with LF line ends. */
export function plainText(text: string): string {
  return wellFormed(text).replaceAll('\r\n', '\n');
}

/** Without blank lines before and white space after; a BOM inside is text and stays (unlike with `trim`). */
export function trimBlank(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && ' \t\n'.includes(text.charAt(start))) start++;
  while (end > start && ' \t\n'.includes(text.charAt(end - 1))) end--;
  if (start === end) return '';
  return text.slice(start === 0 ? 0 : text.lastIndexOf('\n', start - 1) + 1, end);
}
