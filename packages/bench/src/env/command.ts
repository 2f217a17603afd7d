/** A command as the agent wrote it: `Store item_1 shelf_3` and `Store(item_1, shelf_3)` are the same. */
export type Command = { readonly verb: string; readonly args: readonly string[] };

const LONGEST = 200;
const CALL = /^([A-Za-z]+)\s*\(([^()]*)\)\s*;?$/;

/** Reads one command; undefined where the text is empty, longer than 200 characters or has more than one line. */
export function parseCommand(text: string): Command | undefined {
  const line = text.trim();
  if (line === '' || line.length > LONGEST || /[\r\n]/.test(line)) return undefined;
  const call = CALL.exec(line);
  const words = call ? [call[1] ?? '', ...(call[2] ?? '').split(',')] : line.split(/\s+/);
  const [verb, ...args] = words.map((word) => word.trim().replace(/^["']|["']$/g, ''));
  return { verb: verb ?? '', args: args.filter((arg) => arg !== '') };
}

/** A command, short enough to stand in an error line. */
export function quoteCommand(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > 80 ? `${line.slice(0, 77)}...` : line;
}
