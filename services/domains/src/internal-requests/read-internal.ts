import { ApiErrors, Uuid } from '@postmesh/contracts';

/** The body of a request between services: bytes, as the service host leaves them. @throws ApiError 400 */
export function readInternalBody(body: unknown): unknown {
  try {
    return JSON.parse(Buffer.isBuffer(body) ? body.toString() : '');
  } catch {
    throw ApiErrors.invalidBody();
  }
}

/** @throws ApiError 400 `invalid <name>` */
export function readInternalId(name: string, text: string): string {
  const parsed = Uuid.safeParse(text);
  if (!parsed.success) throw ApiErrors.invalidParameter(name);
  return parsed.data;
}
