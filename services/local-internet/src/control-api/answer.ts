import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';

export interface Answer {
  status: number;
  headers?: Record<string, string>;
  body?: string | Buffer;
}

/** Ends a request with a status and `{"message"}`. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

export function json(status: number, value: unknown, headers: Record<string, string> = {}): Answer {
  const body = JSON.stringify(value);
  return { status, headers: { 'content-type': 'application/json; charset=utf-8', ...headers }, body };
}

export function send(response: ServerResponse, answer: Answer): void {
  response.writeHead(answer.status, {
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'no-store',
    ...answer.headers,
  });
  response.end(answer.body);
}

// A zone of a thousand records fits several times.
const LARGEST_BODY = 1024 * 1024;

/** @throws Refusal 400 or 413, with words about what is wrong */
export async function readJson<T>(request: IncomingMessage, schema: z.ZodType<T>): Promise<T> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > LARGEST_BODY) throw new Refusal(413, 'request body is too large');
    chunks.push(chunk);
  }
  return check(schema, parseJson(Buffer.concat(chunks).toString()));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal(400, 'request body is not valid JSON');
  }
}

/** @throws Refusal 400 that names the field */
export function check<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new Refusal(400, [issue?.path.join('.'), issue?.message].filter(Boolean).join(': '));
}
