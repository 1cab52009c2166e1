import type { z } from 'zod';

/** Ends a request with a status and `{"message"}`. */
export class HttpError extends Error {
  constructor(
    readonly statusCode: number,
    message: string,
  ) {
    super(message);
  }
}

/** @throws HttpError 400 that names the field */
export function parseOrThrow<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new HttpError(400, [issue?.path.join('.'), issue?.message].filter(Boolean).join(': '));
}
