import { readFile, stat } from 'node:fs/promises';
import { ApiError } from '@postmesh/contracts';

/** The file has templates, webhooks or records, which a person made: it is read as a whole. */
const MAX_BYTES = 100_000_000;

/** @returns an object, or an array of anything. @throws ApiError 400 */
export async function readJson(path: string): Promise<object> {
  if ((await stat(path)).size > MAX_BYTES)
    throw new ApiError(400, `${path} has more than ${MAX_BYTES} bytes`);
  let value: unknown;
  try {
    value = JSON.parse((await readFile(path, 'utf8')).replace(/^\ufeff/, ''));
  } catch (error) {
    throw new ApiError(400, `${path} is no JSON: ${(error as Error).message}`);
  }
  if (typeof value !== 'object' || value === null)
    throw new ApiError(400, `${path} has neither an object nor a list`);
  return value;
}
