import createClient from 'openapi-fetch';
import type { components, paths } from './generated/contract';

export type Schemas = components['schemas'];

/** Every operation of the API, with the session of the browser in place of a key. */
export const api = createClient<paths>({
  baseUrl: '/console/api',
  credentials: 'same-origin',
});

/** An answer that is no success, or none at all. */
export class Problem extends Error {
  constructor(
    /** 0 when there was no answer */
    readonly status: number,
    message: string,
    readonly requestId: string | null,
  ) {
    super(message);
  }
}

interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** @throws Problem */
export async function read<T>(call: Promise<Answer<T>>): Promise<T> {
  const answer = await call.catch(() => undefined);
  if (!answer) throw new Problem(0, 'the server did not answer', null);
  const { data, error, response } = answer;
  if (response.ok) return data as T;
  const text = (error as { message?: unknown } | undefined)?.message;
  throw new Problem(
    response.status,
    typeof text === 'string' ? text : response.statusText,
    response.headers.get('x-request-id'),
  );
}

/** The console's own back end, which is in no contract with clients. */
export async function callConsole<T>(path: string, method = 'GET', body?: object): Promise<T> {
  const response = await fetch(`/console/api${path}`, {
    method,
    credentials: 'same-origin',
    ...(body ? { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) } : {}),
  }).catch(() => undefined);
  if (!response) throw new Problem(0, 'the server did not answer', null);
  const data = (await response.json().catch(() => ({}))) as { message?: string };
  if (response.ok) return data as T;
  throw new Problem(
    response.status,
    data.message ?? response.statusText,
    response.headers.get('x-request-id'),
  );
}

/** A write that has to run once has a key of its own, so that a repeated click or a retry does not repeat it. */
export const once = () => ({ 'Idempotency-Key': crypto.randomUUID() });
