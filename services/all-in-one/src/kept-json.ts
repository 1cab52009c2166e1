import { readFile } from 'node:fs/promises';
import { z } from 'zod';

/**
 * Reads a JSON file that an earlier start wrote.
 * @returns undefined when there is none
 * @param mend remedy for a broken file, part of the error
 * @throws Error that names the file and the invalid field, without its content
 */
export async function readKeptJson<T>(
  path: string,
  schema: z.ZodType<T>,
  mend: string,
): Promise<T | undefined> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new Error(`${path} cannot be read: ${error.message}`, { cause: error });
  });
  if (text === undefined) return undefined;
  const parsed = schema.safeParse(jsonOf(text));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const reason = jsonOf(text) === undefined ? 'it is no JSON' : `${issue?.path.join('.')}: ${issue?.message}`;
  throw new Error(`${path} is broken (${reason}): ${mend}`);
}

/** The parser's own message would quote secrets. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
