/**
 * Values with `${secret:NAME}` replaced. Throws where a secret was not given; the message names it and where it stands
 * (`where`), never a value.
 */
export function fillSecrets(
  values: Readonly<Record<string, string>>,
  secrets: Readonly<Record<string, string>>,
  where: string,
): Record<string, string> {
  const fill = (text: string, key: string): string =>
    text.replaceAll(/\$\{secret:([^}]*)\}/g, (_, name: string) => {
      const secret = Object.hasOwn(secrets, name) ? secrets[name] : undefined;
      if (secret === undefined)
        throw new Error(`${where}/${key} needs the secret ${name}, which was not given`);
      return secret;
    });
  return Object.fromEntries(Object.entries(values).map(([key, text]) => [key, fill(text, key)]));
}
