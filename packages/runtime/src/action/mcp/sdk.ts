/** What is used of the optional peer. */
export type Sdk = typeof import('@modelcontextprotocol/client');

const NAME = '@modelcontextprotocol/client';

/** Loads the MCP client when a skill declares servers. Throws with the install line where it is not installed. */
export async function loadSdk(
  load: () => Promise<Sdk> = () => import('@modelcontextprotocol/client'),
): Promise<Sdk> {
  try {
    return await load();
  } catch (error) {
    const missing = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
    const said = error instanceof Error ? error.message : String(error);
    const hint = missing ? `is not installed: npm install ${NAME}@2.4.0` : `cannot be used: ${said}`;
    throw new Error(`MCP servers need the package ${NAME}, which ${hint}`, { cause: error });
  }
}
