import { z } from 'zod';
import { ApiError } from '@postmesh/contracts';

/**
 * The body of a request between services (bytes, as the service host leaves them) by its agreed schema.
 * @throws ApiError 400 that says what does not fit
 */
export function parseInternal<S extends z.ZodType>(schema: S, body: unknown): z.infer<S> {
  const parsed = schema.safeParse(readJson(body));
  if (!parsed.success) throw new ApiError(400, z.prettifyError(parsed.error));
  return parsed.data;
}

/** @returns undefined for what is no JSON */
export function readJson(body: unknown): unknown {
  try {
    return JSON.parse(Buffer.isBuffer(body) || typeof body === 'string' ? body.toString() : '');
  } catch {
    return undefined;
  }
}
