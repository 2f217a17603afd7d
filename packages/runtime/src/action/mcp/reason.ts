/** What an error and those behind it say, each once, with their system codes. */
export function reasonOf(error: unknown): string {
  const said: string[] = [];
  for (let at: unknown = error, depth = 0; at != null && depth < 5; depth++) {
    if (!(at instanceof Error)) {
      said.push(typeof at === 'string' ? at : (JSON.stringify(at) ?? typeof at));
      break;
    }
    const code = 'code' in at && typeof at.code === 'string' && /^E[A-Z]+$/.test(at.code) ? at.code : '';
    for (const words of [at.message, code])
      if (words !== '' && !said.some((part) => part.includes(words))) said.push(words);
    at = at.cause;
  }
  return said.length === 0
    ? 'no reason given'
    : `${said[0]}${said.length > 1 ? ` (${said.slice(1).join('; ')})` : ''}`;
}
