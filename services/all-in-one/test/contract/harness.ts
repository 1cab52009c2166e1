import pg from 'pg';
import { afterAll, beforeAll, expect, inject } from 'vitest';
import { Installation, type Credentials } from '../installation.js';
import { send, sendRaw, type HttpResponse } from './http-request.js';
import { CONTRACT_SETTINGS, facts, type InstallationFacts } from './installation-facts.js';
import { runPeriodic } from './periodic.js';

export { expectError, TIMESTAMP, UUID, UUID_V4, UUID_V7, type HttpResponse } from './http-request.js';

// Files that share the installation run one after another.
const TURN_MS = 280_000;

export interface ApiKey {
  id: string;
  secret: string;
  accountId: string;
  publicKey: string;
}

export interface Account {
  id: string;
  name: string;
  ownerEmail: string;
  /** with the scope `*` */
  key: ApiKey;
}

export interface ApiOptions {
  /** sent as JSON */
  body?: unknown;
  /** sent unchanged, with the content type JSON unless `headers` name another */
  rawBody?: string | Buffer;
  headers?: Record<string, string>;
  /** client address, as a trusted proxy reports it; default: 127.0.0.1 */
  clientIp?: string;
}

/** A key, any text as bearer token, or no authentication. */
export type Caller = ApiKey | string | null;

let counted = 0;
/** A name that no other test uses: one installation serves them all. */
export const unique = (what: string): string =>
  `${what}-${Date.now().toString(36)}${process.pid.toString(36)}${(counted += 1).toString(36)}`;

/** An unused domain name; local-internet publishes all records that it gets. */
export const uniqueDomain = (label = 'shop'): string => `${unique(label)}.test`;

/** An unused client address: limits per client IP then do not count the requests of other tests. */
export function freshIp(): string {
  const number = (counted += 1) + (process.pid % 250) * 60_000;
  return `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`;
}

/** Waits until `look` returns a value that `check` accepts; bounded. */
export const eventually = <T>(look: () => Promise<T> | T, timeoutMs = 30_000) =>
  expect.poll(look, { timeout: timeoutMs, interval: 100 });

/** A running installation, as its clients and operators use it. Only for hooks and tests. */
export class Postmesh {
  private known: InstallationFacts | undefined;
  private own: Installation | undefined;
  private readonly turn = new AbortController();

  private get facts(): InstallationFacts {
    if (!this.known) throw new Error('the installation runs in hooks and tests only');
    return this.known;
  }

  get credentials(): Credentials {
    return this.facts.credentials;
  }

  get url(): string {
    return this.credentials.base_url.replace('//localhost:', '//127.0.0.1:');
  }

  get databaseUrl(): string {
    return this.facts.databaseUrl;
  }

  /** For an installation of this file alone: to stop and kill it. */
  get installation(): Installation {
    if (!this.own) throw new Error('this installation is shared with other files');
    return this.own;
  }

  /**
   * Waits for one of the installations that contract files share, one file at a time. Without them (another vitest
   * config) starts one.
   */
  async join(): Promise<void> {
    const broker = inject('contractInstallation' as never) as string | undefined;
    if (broker === undefined) return this.start(CONTRACT_SETTINGS);
    const response = await fetch(broker, { signal: this.turn.signal });
    if (!response.ok || !response.body) throw new Error(await response.text());
    // the connection stays open: its end hands the installation to the next file
    const { value } = await response.body.getReader().read();
    this.known = JSON.parse(Buffer.from(value ?? []).toString()) as InstallationFacts;
  }

  /** @param others starts further processes of it, with the variables of the main one */
  async start(
    settings: Record<string, string>,
    others: (environment: Record<string, string | undefined>) => Promise<unknown> = async () => undefined,
  ): Promise<void> {
    this.own ??= await Installation.create(settings);
    await Promise.all([this.own.start(), others(this.own.environment())]);
    this.known = await facts(this.own);
  }

  async leave(): Promise<void> {
    this.turn.abort();
    await this.own?.remove();
  }

  /** @param path `{A}` is replaced by `/v2/accounts/<the key's account>` */
  api(caller: Caller, method: string, path: string, options: ApiOptions = {}): Promise<HttpResponse> {
    const { body, rawBody, headers = {}, clientIp } = options;
    const account = caller !== null && typeof caller === 'object' ? caller.accountId : '';
    const content = rawBody ?? (body === undefined ? undefined : JSON.stringify(body));
    // a caller without a key is counted by address, and must not reach the limit of another test
    const from = clientIp ?? (caller !== null && typeof caller === 'object' ? undefined : freshIp());
    return send({
      method,
      url: `${this.url}${path.replace('{A}', `/v2/accounts/${account}`)}`,
      headers: {
        ...(caller === null ? {} : { authorization: `Bearer ${secretOf(caller)}` }),
        ...(content === undefined ? {} : { 'content-type': 'application/json' }),
        ...(from === undefined ? {} : { 'x-forwarded-for': from }),
        ...headers,
      },
      ...(content === undefined ? {} : { body: content }),
    });
  }

  /** Sends lines and bytes that no client library sends; see `sendRaw`. */
  raw(lines: readonly string[] | Buffer, body?: string | Buffer): Promise<HttpResponse> {
    return sendRaw(this.url, lines, body);
  }

  /** @param path below the operator interface, e.g. `/operator/accounts/operator/accounts` */
  operator(method: string, path: string, body?: unknown): Promise<HttpResponse> {
    return send({
      method,
      url: `${this.credentials.operator_url.replace('//localhost:', '//127.0.0.1:')}${path}`,
      headers: {
        authorization: `Bearer ${this.credentials.operator_token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  /** An account of its own with a key for all operations, so that tests do not disturb each other. */
  async newAccount(given: { name?: string; website?: string; ownerEmail?: string } = {}): Promise<Account> {
    const name = given.name ?? unique('Account');
    const ownerEmail = given.ownerEmail ?? `${unique('owner')}@mail.test`;
    const made = await this.operator('POST', '/operator/accounts/accounts', {
      name,
      owner_email: ownerEmail,
      ...(given.website === undefined ? {} : { website: given.website }),
    });
    const account = succeeded(made, 201).body as { id: string };
    return { id: account.id, name, ownerEmail, key: await this.operatorKey(account.id, { scopes: ['*'] }) };
  }

  /** A key that the API creates. */
  async newKey(
    account: Account,
    given: { label?: string; scopes?: readonly string[]; ip_allow_list?: readonly string[] } = {},
  ): Promise<ApiKey> {
    const body = { label: 'Test', scopes: ['*'], ...given };
    return keyOf(succeeded(await this.api(account.key, 'POST', '{A}/api-keys', { body }), 201));
  }

  /** A key that the operator creates, e.g. for an account that has none. */
  async operatorKey(
    accountId: string,
    given: { label?: string; scopes: readonly string[]; ip_allow_list?: readonly string[] },
  ): Promise<ApiKey> {
    const body = { label: 'Operator', ...given };
    return keyOf(
      succeeded(await this.operator('POST', `/operator/accounts/accounts/${accountId}/api-keys`, body), 201),
    );
  }

  /** A domain of the account whose records are published and checked, so that it may send. */
  async verifiedDomain(account: Account, domain = uniqueDomain()): Promise<string> {
    succeeded(await this.api(account.key, 'POST', '{A}/domains', { body: { domain } }), 201);
    const check = () => this.api(account.key, 'POST', `{A}/domains/${domain}/check-dns`);
    let checked = await check();
    // a name server did not reply in time: check again, as a client would
    for (let asked = 1; checked.status === 503 && asked < 3; asked++) checked = await check();
    if (checked.body?.dns_valid !== true)
      throw new Error(`${domain} is not valid: ${checked.bytes.toString()}`);
    return domain;
  }

  /** Messages in the local mailbox for an address (or a part of one), newest first. */
  async messagesTo(address: string): Promise<Message[]> {
    const query = new URLSearchParams({ to: address, limit: '1000' });
    return succeeded(await this.mailbox(`/api/messages?${query}`), 200).body.messages as Message[];
  }

  /** A message as it arrived, head and body. */
  async messageText(id: string): Promise<string> {
    return succeeded(await this.mailbox(`/api/messages/${id}/raw`), 200).bytes.toString();
  }

  mailbox(path: string): Promise<HttpResponse> {
    const base = this.credentials.mailbox_url.replace(/\/$/, '').replace('//localhost:', '//127.0.0.1:');
    return send({ method: 'GET', url: `${base}${path}`, headers: {} });
  }

  /** Makes a periodic task of a service due now, and waits for no result. */
  periodic(service: string, name: string): Promise<void> {
    return runPeriodic(this.databaseUrl, service, name);
  }

  /** Queries the database, schemas by name: `select … from accounts.api_keys`. */
  async sql<Row>(text: string, parameters: unknown[] = []): Promise<Row[]> {
    const client = new pg.Client({ connectionString: this.databaseUrl });
    await client.connect();
    try {
      return (await client.query(text, parameters)).rows as Row[];
    } finally {
      await client.end();
    }
  }
}

export interface Message {
  id: string;
  from: string;
  to: string[];
  subject: string;
  /** it came over TLS */
  tls: boolean;
}

/** The installation that all contract files share: give each test an account of its own. */
export function sharedInstallation(): Postmesh {
  const postmesh = new Postmesh();
  beforeAll(() => postmesh.join(), TURN_MS);
  afterAll(() => postmesh.leave());
  return postmesh;
}

/** An installation for this file alone: other settings, or stops and kills. */
export function ownInstallation(settings: Record<string, string> = {}): Postmesh {
  const postmesh = new Postmesh();
  beforeAll(() => postmesh.start({ ...CONTRACT_SETTINGS, ...settings }));
  afterAll(() => postmesh.leave());
  return postmesh;
}

const secretOf = (caller: ApiKey | string): string => (typeof caller === 'string' ? caller : caller.secret);

function keyOf({ body }: HttpResponse): ApiKey {
  return { id: body.id, secret: body.secret_key, accountId: body.account_id, publicKey: body.public_key };
}

function succeeded(response: HttpResponse, status: number): HttpResponse {
  if (response.status !== status) throw new Error(`${response.status} ${response.bytes.toString()}`);
  return response;
}
