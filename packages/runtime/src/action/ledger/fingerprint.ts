import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/** Files larger than this are not worth a fingerprint: reading them is the work itself. */
const MOST_BYTES = 8 * 1024 * 1024;

/**
 * SHA-256 over the content of `file:` resources; null where one is no readable regular file, is too large, or cannot be
 * found by `locate`, which turns a path as the tool's arguments name it into the real one on the tool's own file system.
 */
export async function fingerprintFiles(
  resources: readonly string[],
  locate: (path: string) => Promise<string | null>,
): Promise<string | null> {
  const hash = createHash('sha256');
  for (const resource of resources) {
    const real = resource.startsWith('file:') ? await locate(resource.slice(5)) : null;
    const bytes = real === null ? null : await contentOf(real);
    if (bytes === null) return null;
    hash.update(`${resource.length} ${resource} ${bytes.length} `).update(bytes);
  }
  return resources.length === 0 ? null : hash.digest('hex').slice(0, 32);
}

async function contentOf(real: string): Promise<Buffer | null> {
  const handle = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    () => null,
  );
  if (handle === null) return null;
  try {
    const info = await handle.stat();
    return info.isFile() && info.size <= MOST_BYTES ? await handle.readFile() : null;
  } catch {
    return null;
  } finally {
    await handle.close();
  }
}
