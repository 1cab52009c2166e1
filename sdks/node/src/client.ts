import { randomUUID } from 'node:crypto';
import { createClient, type Client } from './generated/client/index.ts';
import { KEYED } from './generated/keyed.gen.ts';
import { Operations } from './generated/sdk.gen.ts';
import { PostmeshError } from './errors.ts';
import { VERSION } from './version.ts';
import { sendWithRetries, type RetryOptions } from './retries.ts';

export interface PostmeshOptions {
  /** `https://mail.example.com`, without `/v2`. The environment's `POSTMESH_BASE_URL` unless given. */
  readonly baseUrl?: string;
  /** The environment's `POSTMESH_API_KEY` unless given. */
  readonly apiKey?: string;
  /** The account that the key belongs to. The environment's `POSTMESH_ACCOUNT_ID` unless given. */
  readonly accountId?: string;
  readonly retries?: RetryOptions;
  /** Instead of the global one: proxies, tests. */
  readonly fetch?: typeof fetch;
}

/** The operations of the API, by family: `postmesh.messages.send(…)`. Errors are thrown. */
export class Postmesh extends Operations {
  constructor(options: PostmeshOptions = {}) {
    super({ client: clientOf(options) });
  }
}

const METHODS = ['get', 'post', 'put', 'delete'] as const;

function clientOf({ retries = {}, fetch: send, ...given }: PostmeshOptions): Client {
  const baseUrl = wanted('baseUrl', given.baseUrl, 'POSTMESH_BASE_URL');
  const apiKey = wanted('apiKey', given.apiKey, 'POSTMESH_API_KEY');
  const account_id = wanted('accountId', given.accountId, 'POSTMESH_ACCOUNT_ID');
  const client = createClient({
    baseUrl: baseUrl.replace(/\/+$/, ''),
    auth: apiKey,
    headers: { 'user-agent': `postmesh-node/${VERSION}` },
    throwOnError: true,
    fetch: (input, init) => sendWithRetries(new Request(input, init), retries, send),
  });
  for (const name of METHODS) {
    const method = client[name] as (options: object) => unknown;
    const call = (options: { url: string; path?: object; headers?: HeadersInit }) =>
      method({
        ...options,
        path: { account_id, ...options.path },
        headers: withKey(`${name.toUpperCase()} ${options.url}`, options.headers),
      });
    client[name] = call as never;
  }
  return client;
}

/** A key that was given stays: the same one makes a repeat of the whole process safe. */
function withKey(operation: string, given: HeadersInit | undefined): Headers {
  const headers = new Headers(given);
  if (KEYED.has(operation) && !headers.get('idempotency-key')) headers.set('idempotency-key', randomUUID());
  return headers;
}

function wanted(name: string, given: string | undefined, variable: string): string {
  const value = given ?? process.env[variable];
  if (!value) throw new PostmeshError(`${name} is missing: give it to new Postmesh(…), or set ${variable}`);
  return value;
}
