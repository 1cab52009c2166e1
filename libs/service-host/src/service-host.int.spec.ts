import { subscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  Body,
  Controller,
  Get,
  Header,
  Injectable,
  Module,
  Param,
  Post,
  Query,
  Req,
  UseGuards,
  UseInterceptors,
  type CanActivate,
  type NestInterceptor,
  type OnApplicationShutdown,
  type PipeTransform,
} from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { Payload } from '@nestjs/microservices';
import type { FastifyRequest } from 'fastify';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { DataSource } from 'typeorm';
import { request } from 'undici';
import { z } from 'zod';
import {
  AccountId,
  ApiError,
  ApiKeyId,
  apiResponse,
  KEY_ENTRY_HEADER,
  KEY_HOLDER_HEADER,
  newId,
  schemaOf,
  Transient,
  type AccountFacts,
  type ApiResponse,
  type EventOf,
  type Principal,
} from '@postmesh/contracts';
import {
  attachCall,
  InternalClient,
  PrincipalMinter,
  principalPrivateKey,
  SERVICE_TOKEN_HEADER,
  ServiceDirectory,
  serviceTokenKeys,
  ServiceTokens,
} from '@postmesh/http';
import { createLogger } from '@postmesh/observability';
import { Outbox } from '@postmesh/events';
import { testDatabase } from '@postmesh/testing';
import { Housekeeping } from './housekeeping.js';
import { ClientGone } from './http/api-call.js';
import {
  ApiCall,
  body,
  Call,
  CallerSignal,
  forgetResult,
  Consumes,
  Internal,
  Operation,
  query,
  startService,
  type Remember,
  type RunningService,
  type ServiceDefinition,
} from './index.js';
import { declaredConsumers } from './events/consumes.decorator.js';
import { createTestContext } from './testing/test-context.js';
import { Idempotency } from './idempotency/idempotency.js';
import { AccountChanged } from './testing/sample-events.js';

const consumed: EventOf<typeof AccountChanged>[] = [];
let runs = 0;
let added = 0;
let shown = 0;

let waits: ((signal: AbortSignal) => void) | undefined;

const CreateBody = z.object({
  fail: z.number().optional(),
  other: z.number().optional(),
  wait: z.boolean().optional(),
});
type CreateBody = z.infer<typeof CreateBody>;
const ListQuery = z.object({
  dns_valid: z.enum(['true', 'false']).optional(),
  kind: z
    .string()
    .refine((text) => text === 'a', { message: 'kind must be a' })
    .optional(),
});
type Page = { after: string | undefined };
const readAfter = ({ after }: Readonly<Record<string, string | undefined>>): Page => ({ after });
type SampleKey = { child: string; key: string };
const SAMPLE_KEY: PipeTransform<ApiCall, SampleKey> = {
  transform: (call) => ({ child: call.uuidParam('sub_account_id'), key: call.uuidParam('key_id') }),
};
const ChangeBody = z.object({ label: z.string(), size: z.number().optional() });

const refuseTeapots: CanActivate['canActivate'] = (context) => {
  const { headers } = context.switchToHttp().getRequest<FastifyRequest>();
  if (headers['user-agent'] === 'teapot') throw new ApiError(403, 'no teapots');
  return true;
};
/** requests that passed the interceptor of one operation */
let passed = 0;

const COMPLETES: Record<string, (body: Buffer) => Promise<Buffer>> = {
  yes: async (body) => Buffer.from(JSON.stringify({ completed: JSON.parse(body.toString()) as unknown })),
  fails: async () => {
    throw new Transient('the other service is away');
  },
};

const closed = new Readable().destroy();
const STREAMS: Record<string, () => Readable> = {
  whole: () => Readable.from(['{"a":', '1}']),
  fails: () => new Readable({ read: () => undefined }).destroy(new Error('a secret of the service')),
  'ends without an end': () =>
    new Readable({
      read() {
        this.destroy();
      },
    }),
  'was closed before': () => closed,
  'fails later': () =>
    Readable.from(
      (async function* () {
        yield '{"a":';
        throw new Error('a secret of the service');
      })(),
    ),
};

@Controller()
class SampleController {
  constructor(
    private readonly dataSource: DataSource,
    private readonly outbox: Outbox,
  ) {}

  @Operation('domains.create')
  create(@Call() call: ApiCall, @Body(body(CreateBody)) input: CreateBody): Promise<ApiResponse> {
    const { signal } = call;
    return call.respond(
      (remember) => (input.wait ? untilAborted(signal) : this.run(call.accountId, input, remember)),
      (run) => apiResponse(201, { run, shown: (shown += 1) }),
    );
  }

  /** The use case: knows no HTTP. */
  private async run(
    account_id: AccountId,
    { fail }: CreateBody,
    remember: Remember<number> = forgetResult,
  ): Promise<number> {
    const run = (runs += 1);
    if (fail === 500) throw new Error('secret detail');
    if (fail !== undefined) throw new ApiError(fail, 'refused');
    await this.dataSource.transaction(async (tx) => {
      const fact = { account_id, parent_account_id: null, state: 'active' as const, revision: 1 };
      await this.outbox.add(tx, AccountChanged.make(fact, { account_id }));
      await remember(tx, run);
    });
    added += 1;
    return run;
  }

  @Operation('sub-account-api-keys.update')
  async change(
    @Call(SAMPLE_KEY) key: SampleKey,
    @Query(query(ListQuery, readAfter)) [filters, page]: [z.infer<typeof ListQuery>, Page],
    @Body(body(ChangeBody, { readOnly: ['id'] })) input: z.infer<typeof ChangeBody>,
  ): Promise<ApiResponse> {
    return apiResponse(200, { ...key, filters, page, input });
  }

  @Operation('domains.delete')
  async remove(@Call() call: ApiCall): Promise<ApiResponse> {
    return apiResponse(200, { domain: call.param('domain') });
  }

  @Operation('domains.get')
  async stream(@Param('domain') kind: string): Promise<ApiResponse> {
    return { status: 200, bytes: Buffer.alloc(0), stream: STREAMS[kind]?.() as Readable };
  }

  @UseGuards({ canActivate: refuseTeapots } satisfies CanActivate)
  @UseInterceptors({ intercept: (_, next) => ((passed += 1), next.handle()) } satisfies NestInterceptor)
  @Header('x-more', 'yes')
  @Operation('domains.list')
  async list(@Req() request: FastifyRequest): Promise<ApiResponse> {
    return apiResponse(200, { ...(request.query as object), passed });
  }

  @Operation('sub-accounts.unpause-domain')
  async unpause(): Promise<ApiResponse> {
    return apiResponse(200, {});
  }
}

const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const leave = () => reject(signal.reason as Error);
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave);
    waits?.(signal);
  });

@Controller()
class OnAccountChanged {
  @Consumes(AccountChanged, 'domains.sample')
  async handle(@Payload() events: EventOf<typeof AccountChanged>[]): Promise<void> {
    consumed.push(...events);
  }
}

@Internal()
@Controller('internal')
class InsideController {
  @Get('facts')
  facts(): object {
    return { inside: true };
  }

  @Post('waits')
  wait(@CallerSignal() signal: AbortSignal): Promise<object> {
    return untilAborted(signal);
  }
}

let databaseAtShutdown: unknown;

@Injectable()
class LastHook implements OnApplicationShutdown {
  constructor(private readonly dataSource: DataSource) {}

  async onApplicationShutdown(): Promise<void> {
    databaseAtShutdown = await this.dataSource.query('select current_schema() as schema');
  }
}

const REFUSE_KETTLES: CanActivate = {
  canActivate: (context) => {
    const { headers } = context.switchToHttp().getRequest<FastifyRequest>();
    if (headers['user-agent'] === 'kettle') throw new ApiError(403, 'no kettles');
    return true;
  },
};

@Module({
  controllers: [SampleController, InsideController, OnAccountChanged],
  providers: [LastHook, { provide: APP_GUARD, useValue: REFUSE_KETTLES }],
})
class SampleModule {}

const SAMPLE: ServiceDefinition = {
  name: 'domains',
  module: SampleModule,
  database: { entities: [], migrations: [] },
};

const namedScopes = ({ headers }: Response) =>
  /^Bearer error="insufficient_scope", scope="([^"]+)"$/.exec(headers.get('www-authenticate') ?? '')?.[1];

describe('a service under its host', () => {
  const database = testDatabase();
  let context: Awaited<ReturnType<typeof createTestContext>>;
  let service: RunningService;
  let base: string;
  const accountId = newId();
  /** Passes its requests to the service in the same process, as a gateway does. */
  const inProcess = createServer((incoming, response) => {
    const by = incoming.headers['x-attach'];
    const complete = COMPLETES[String(incoming.headers['x-complete'])];
    if (by) attachCall(incoming, { principal: principalOf(['*'], {}, String(by)), complete });
    context.directory.findLocal('domains')?.route(incoming, response);
    // as a gateway that stops
    if (incoming.headers['x-refuse']) refuse = () => response.writeHead(503).end();
  });
  let handedOver: string;
  let refuse = (): unknown => undefined;

  beforeAll(async () => {
    context = await createTestContext(database.url);
    service = await startService(SAMPLE, context);
    base = `http://127.0.0.1:${await service.listen('127.0.0.1', 0)}`;
    await once(inProcess.listen(0, '127.0.0.1'), 'listening');
    handedOver = `http://127.0.0.1:${(inProcess.address() as AddressInfo).port}`;
  });
  afterAll(() => declaredConsumers.clear());
  afterAll(async () => {
    inProcess.close();
    await service?.stop();
    await context?.close();
  });

  const principalOf = (
    scopes: string[],
    facts: Partial<AccountFacts> = {},
    account: string = accountId,
  ): Principal => ({
    account_id: AccountId.parse(account),
    key_id: ApiKeyId.parse(newId()),
    scopes,
    account: {
      status: 'active',
      platform_partner: true,
      track_opens: false,
      track_clicks: false,
      reject_bad_recipients: false,
      reject_mistyped_recipients: false,
      message_metadata_retention: 7,
      message_data_retention: 7,
      parent_account_id: null,
      monthly_credit: 0,
      credit_pool: null,
      ...facts,
    },
  });
  const principal = (scopes: string[], facts: Partial<AccountFacts> = {}, at = Date.now()) =>
    new PrincipalMinter(principalPrivateKey(context.settings)).mint(
      principalOf(scopes, facts),
      'domains',
      at,
    );

  const serviceToken = (audience: 'domains' | 'accounts') =>
    new ServiceTokens(serviceTokenKeys(context.settings), 'messages').make(audience);

  const create = (body: unknown, headers: Record<string, string> = {}, scopes = ['*']) =>
    fetch(`${base}/v2/accounts/${accountId}/domains`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-principal': principal(scopes), ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });

  it('serves an operation to a principal and refuses all other callers', async () => {
    expect((await create({})).status).toBe(201);
    const stranger = await create({}, { 'x-principal': 'nonsense' });
    expect([stranger.status, await stranger.json()]).toEqual([401, { message: 'invalid API key' }]);
    const elsewhere = await fetch(`${base}/v2/accounts/${newId()}/domains`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-principal': principal(['*']) },
      body: '{}',
    });
    expect(elsewhere.status).toBe(401);
  });

  it('takes the principal that is attached to a request of its process, and none from a header', async () => {
    const post = (headers: Record<string, string>, path = accountId) =>
      fetch(`${handedOver}/v2/accounts/${path}/domains`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: '{}',
      });
    const attached = { 'x-attach': accountId };
    expect((await post(attached)).status).toBe(201);
    const responses = [
      await post(attached, newId()),
      await post({ 'x-attach': newId() }),
      await post({}),
      await post({ 'x-principal': JSON.stringify(principalOf(['*'])) }),
    ];
    for (const refused of responses)
      expect([refused.status, await refused.json()]).toEqual([401, { message: 'invalid API key' }]);
    // no part of the head of a request attaches a principal
    const elsewhere = await fetch(`${base}/v2/accounts/${accountId}/domains`, { headers: attached });
    expect(elsewhere.status).toBe(401);
  });

  const ways = ['in its process', 'over HTTP'] as const;
  const get = (way: (typeof ways)[number], path: string, headers: Record<string, string> = {}) =>
    way === 'over HTTP'
      ? fetch(`${base}/v2/accounts/${accountId}/${path}`, {
          headers: { 'x-principal': principal(['*']), ...headers },
        })
      : fetch(`${handedOver}/v2/accounts/${accountId}/${path}`, {
          headers: { 'x-attach': accountId, ...headers },
        });

  it.each(ways)('streams a response %s; one that fails before its first byte is an error', async (way) => {
    const whole = await get(way, 'domains/whole');
    expect([whole.status, await whole.text()]).toEqual([200, '{"a":1}']);
    for (const kind of ['fails', 'ends without an end', 'was closed before']) {
      const failed = await get(way, `domains/${encodeURIComponent(kind)}`);
      expect([kind, failed.status, await failed.json()]).toEqual([
        ...[kind, 500],
        { message: 'internal server error' },
      ]);
    }
    const cut = await get(way, 'domains/fails%20later');
    expect(cut.status).toBe(200);
    await expect(cut.text()).rejects.toThrow();
  });

  it.each(ways)('serves controllers as Nest documents them, %s', async (way) => {
    const before = passed;
    const response = await get(way, 'domains?dns_valid=true');
    expect([response.status, response.headers.get('x-more'), await response.json()]).toEqual([
      ...[200, 'yes'],
      { dns_valid: 'true', passed: before + 1 },
    ]);
    const refused = await get(way, 'domains', { 'user-agent': 'teapot' });
    expect([refused.status, await refused.json(), passed]).toEqual([
      ...[403, { message: 'no teapots' }, before + 1],
    ]);
    const everywhere = await get(way, 'domains', { 'user-agent': 'kettle' });
    expect([everywhere.status, await everywhere.json()]).toEqual([403, { message: 'no kettles' }]);
  });

  it('lets the gateway of its process complete a response with status 200, which may fail', async () => {
    const list = async (headers: Record<string, string>) => {
      const response = await get('in its process', 'domains?name=a', headers);
      return [response.status, await response.json()];
    };
    expect(await list({ 'x-complete': 'yes' })).toEqual([200, { completed: { name: 'a', passed } }]);
    expect(await list({ 'x-complete': 'fails' })).toEqual([
      ...[503, { message: 'service temporarily unavailable' }],
    ]);
    for (const complete of ['yes', 'fails'])
      expect(await list({ 'x-complete': complete, 'user-agent': 'kettle' })).toEqual([
        ...[403, { message: 'no kettles' }],
      ]);
  });

  it('authenticates as of the arrival of the head: a body may take longer than a principal is valid', async () => {
    const arrives = new Promise((resolve) => subscribe('http.server.request.start', resolve));
    const late = async function* () {
      yield Buffer.from('{');
      await arrives;
      // the server has taken the head
      await nextTurn();
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 31_000 });
      yield Buffer.from('}');
    };
    // valid for half a minute
    const token = principal(['*']);
    const send = (body: Readable | string) =>
      request(`${base}/v2/accounts/${accountId}/domains`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-principal': token },
        body,
      });
    try {
      expect((await send(Readable.from(late()))).statusCode).toBe(201);
      expect((await send('{}')).statusCode).toBe(401);
    } finally {
      vi.useRealTimers();
    }
  });

  it('checks static scopes and at least one scope of a family', async () => {
    const refused = await create({}, {}, ['domains:read']);
    expect([refused.status, await refused.json(), namedScopes(refused)]).toEqual([
      403,
      { message: 'insufficient permissions for the required scope' },
      'domains:write',
    ]);
    // a replay, whose headers are not stored, names them again
    const keyed = () => create({}, { 'idempotency-key': 'no scope' }, ['domains:read']);
    for (const response of [await keyed(), await keyed()]) {
      expect([response.status, namedScopes(response)]).toEqual([403, 'domains:write']);
    }
    const remove = (scopes: string[]) =>
      fetch(`${base}/v2/accounts/${accountId}/domains/a.test`, {
        method: 'DELETE',
        headers: { 'x-principal': principal(scopes) },
      });
    expect((await remove(['domains:delete:{b.test}'])).status).toBe(200);
    const family = await remove(['domains:read']);
    expect([await family.json(), namedScopes(family)]).toEqual([
      { message: 'api key does not have sufficient permissions to delete domains' },
      'domains:delete:all domains:delete:{domain}',
    ]);
  });

  it('checks the scope, then the path, then the query, then the body', async () => {
    const change = async (path: string, text: string, scopes = ['*']) => {
      const response = await fetch(`${base}/v2/accounts/${accountId}/sub-accounts/${path}`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json', 'x-principal': principal(scopes) },
        body: text,
      });
      return [response.status, await response.json()];
    };
    const refused = (message: string, status = 400) => [status, { message }];
    const [child, key] = [newId(), newId()];
    expect(await change('x/api-keys/y?dns_valid=z', '{', [])).toEqual(
      refused('insufficient permissions for the required scope', 403),
    );
    expect(await change('x/api-keys/y?dns_valid=z', '{')).toEqual(refused('invalid sub_account_id'));
    expect(await change(`${child}/api-keys/y?dns_valid=z`, '{')).toEqual(refused('invalid key_id'));
    const at = `${child}/api-keys/${key.toUpperCase()}`;
    expect(await change(`${at}?dns_valid=z&kind=z`, '{')).toEqual(refused('invalid dns_valid'));
    expect(await change(`${at}?kind=z`, '{')).toEqual(refused('kind must be a'));
    expect(await change(at, '{')).toEqual(refused('invalid request body'));
    expect(await change(at, '')).toEqual(refused('invalid request body'));
    expect(await change(at, '{"id":1}')).toEqual(refused('id is not writable'));
    expect(await change(at, '{"size":"1"}')).toEqual(refused('label is required'));
    expect(await change(`${at}?kind=&kind=a&kind=b&dns_valid=&unknown=1&after=c`, '{"label":"l"}')).toEqual([
      200,
      { child, key, filters: { kind: 'a' }, page: { after: 'c' }, input: { label: 'l' } },
    ]);
  });

  it('stops a waiting request when its client disconnects, and its idempotency key is free for a retry', async () => {
    const waiting = new Promise<AbortSignal>((resolve) => (waits = resolve));
    const gone = new AbortController();
    const headers = { 'idempotency-key': 'left' };
    const left = fetch(`${base}/v2/accounts/${accountId}/domains`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-principal': principal(['*']), ...headers },
      body: '{"wait":true}',
      signal: gone.signal,
    }).catch(() => 'left');
    const signal = await waiting;
    const ended = once(signal, 'abort');
    gone.abort();
    await Promise.all([ended, left]);
    expect(signal.reason).toBeInstanceOf(ClientGone);
    waits = undefined;
    // 422 as long as it is kept, 409 while its run is alive
    await vi.waitFor(async () => expect((await create({ fail: 418 }, headers)).status).toBe(418));
  });

  it('frees the key of a run at its end, also when other code has answered the request', async () => {
    const waiting = new Promise<AbortSignal>((resolve) => (waits = resolve));
    const headers = { 'idempotency-key': 'refused' };
    const refused = fetch(`${handedOver}/v2/accounts/${accountId}/domains`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-attach': accountId, 'x-refuse': 'yes', ...headers },
      body: '{"wait":true}',
    });
    const ended = once(await waiting, 'abort');
    refuse();
    expect((await refused).status).toBe(503);
    expect((await create({ fail: 418 }, headers)).status).toBe(422);
    waits = undefined;
    inProcess.closeAllConnections();
    await ended;
    await vi.waitFor(async () => expect((await create({ fail: 418 }, headers)).status).toBe(418));
  });

  it.each(['in the process', 'over HTTP'])(
    'stops an internal request whose caller disconnects, %s',
    async (way) => {
      const remote = new ServiceDirectory({ domains: base });
      const directory = way === 'over HTTP' ? remote : context.directory;
      const tokens = new ServiceTokens(serviceTokenKeys(context.settings), 'messages');
      const client = new InternalClient(directory, tokens);
      const waiting = new Promise<AbortSignal>((resolve) => (waits = resolve));
      const caller = new AbortController();
      const asked = { method: 'POST', path: '/internal/waits', body: {}, signal: caller.signal } as const;
      const left = expect(client.send('domains', asked)).rejects.toThrow('no longer needed');
      const signal = await waiting;
      const ended = once(signal, 'abort');
      caller.abort(new Error('no longer needed'));
      await Promise.all([ended, left]);
      expect(signal.reason).toBeInstanceOf(ClientGone);
      await expect(client.send('domains', asked)).rejects.toThrow('no longer needed');
      waits = undefined;
      // before the service has read it
      const early = new AbortController();
      const unread = client.send('domains', { ...asked, signal: early.signal });
      early.abort(new Error('no longer needed at once'));
      await expect(unread).rejects.toThrow('no longer needed at once');
      await remote.close();
    },
  );

  it('opens sub-accounts to partners only, and to no sub-account, whatever its scopes', async () => {
    const unpause = async (scopes: string[], facts: Partial<AccountFacts>) => {
      const response = await fetch(
        `${base}/v2/accounts/${accountId}/sub-accounts/${newId()}/domains/a.test/unpause`,
        { method: 'POST', headers: { 'x-principal': principal(scopes, facts) } },
      );
      return [response.status, await response.json()];
    };
    const off = [403, { message: 'sub accounts are not enabled for this account' }];
    expect(await unpause(['*'], {})).toEqual([200, {}]);
    for (const scopes of [['*'], ['sub-accounts:suspend'], []]) {
      expect(await unpause(scopes, { platform_partner: false })).toEqual(off);
      expect(await unpause(scopes, { parent_account_id: newId() })).toEqual(off);
    }
    expect(await unpause([], {})).toEqual([
      403,
      { message: 'insufficient permissions for the required scope' },
    ]);
  });

  it('answers errors in the contract form and never with their details', async () => {
    const broken = await create({ fail: 500 });
    expect([broken.status, await broken.json()]).toEqual([500, { message: 'internal server error' }]);
    const unknown = await fetch(`${base}/nowhere`);
    expect([unknown.status, await unknown.json()]).toEqual([404, { message: 'not found' }]);
    const noJson = await create('{');
    expect([noJson.status, await noJson.json()]).toEqual([400, { message: 'invalid request body' }]);
    const deep = await create('['.repeat(1_000_000));
    expect([deep.status, await deep.json()]).toEqual([400, { message: 'request body is nested too deeply' }]);
    const many = await create(`{"a":[${'[],'.repeat(200_000)}[]]}`);
    expect([many.status, await many.json()]).toEqual([400, { message: 'request body has too many values' }]);
    // the same as on a replay, which is sent from the stored bytes
    for (const { headers } of [broken, unknown, noJson]) {
      expect(headers.get('content-type')).toBe('application/json');
    }
  });

  it('hands parts of the path to the operation at any length', async () => {
    const removed = await fetch(`${base}/v2/accounts/${accountId}/domains/${'x'.repeat(12_000)}`, {
      method: 'DELETE',
      headers: { 'x-principal': principal(['*']) },
    });
    expect(removed.status).toBe(200);
  });

  it('stores responses and errors under an idempotency key, but not failures', async () => {
    const once = async (key: string, body: unknown) => {
      const response = await create(body, { 'idempotency-key': key });
      return [response.status, response.headers.get('idempotent-replayed'), await response.text()];
    };
    const first = await once('a', {});
    expect(await once('a', {})).toEqual([201, 'true', first[2]]);
    expect(first.slice(0, 2)).toEqual([201, null]);
    // the response that is stored with the effect is the one that is sent: it is made once
    const made = shown;
    await once('d', {});
    await create({});
    expect(shown - made).toBe(2);
    expect((await once('a', { other: 1 })).slice(0, 2)).toEqual([422, null]);
    await once('b', { fail: 409 });
    expect((await once('b', { fail: 409 })).slice(0, 2)).toEqual([409, 'true']);
    const before = runs;
    await once('c', { fail: 500 });
    await once('c', { fail: 500 });
    expect(runs - before).toBe(2);
    const long = await create({}, { 'idempotency-key': 'k'.repeat(256) });
    expect(await long.json()).toEqual({ message: 'idempotency key must be at most 255 characters' });
  });

  it('consumes its own events through outbox, relay and bus', async () => {
    await create({});
    await expect.poll(() => consumed.length).toBe(added);
    expect(consumed[0]?.data).toMatchObject({ account_id: accountId });
  });

  it('opens internal routes to services only', async () => {
    const inside = (token: string) =>
      fetch(`${base}/internal/facts`, { headers: { [SERVICE_TOKEN_HEADER]: token } });
    expect(await (await inside(serviceToken('domains'))).json()).toEqual({ inside: true });
    expect((await inside(serviceToken('accounts'))).status).toBe(404);
    expect((await inside('nonsense')).status).toBe(404);
  });

  const askKeys = async (question: string, body: object, token = serviceToken('domains')) => {
    const response = await fetch(`${base}/internal/idempotency-keys/${question}`, {
      method: 'POST',
      headers: { [SERVICE_TOKEN_HEADER]: token, 'content-type': 'application/json' },
      body: JSON.stringify({ account_id: accountId, ...body }),
    });
    return [response.status, await response.json()];
  };

  it('answers the release before which idempotency keys it holds', async () => {
    await create({}, { 'idempotency-key': 'held' });
    expect(await askKeys('held', { key: 'held' })).toEqual([200, { held: true }]);
    expect(await askKeys('held', { key: 'not held' })).toEqual([200, { held: false }]);
    expect(await askKeys('held', { key: '' })).toEqual([400, { message: 'invalid request body' }]);
    expect(await askKeys('held', { key: 'held' }, serviceToken('accounts'))).toEqual([
      404,
      { message: 'not found' },
    ]);
  });

  it('gives an idempotency key up unless it holds it: the request on its way does not run, the next entry does', async () => {
    const claimed = { 'idempotency-key': 'claimed', [KEY_ENTRY_HEADER]: '5' };
    expect((await create({}, claimed)).status).toBe(201);
    expect(await askKeys('yield', { key: 'claimed', entry: '5', to: 'webhooks' })).toEqual([
      200,
      { held: true },
    ]);
    expect(await askKeys('yield', { key: 'late', entry: '5', to: 'webhooks' })).toEqual([
      200,
      { held: false },
    ]);
    const late = (entry: string) => create({}, { 'idempotency-key': 'late', [KEY_ENTRY_HEADER]: entry });
    expect((await late('5')).status).toBe(422);
    expect((await late('6')).status).toBe(201);
  });

  it('keeps the register of keys for the gateway and for the release before, and names the holder of a key', async () => {
    const entered = await askKeys('enter', { key: 'of another', home: 'webhooks' });
    expect(entered).toEqual([200, { entry: expect.stringMatching(/^\d{16}$/), holder: null }]);
    const { entry } = (entered as [number, { entry: string }])[1];
    const holder = { home: 'webhooks', entry };
    expect(await askKeys('enter', { key: 'of another', home: 'accounts' })).toEqual([
      200,
      { entry: null, holder },
    ]);
    const old = { key: 'of another', fingerprint: Buffer.alloc(32).toString('base64'), token: newId() };
    expect(await askKeys('reserve', { ...old, home: 'accounts' })).toEqual([200, { reserved: false }]);
    const refused = await create({}, { 'idempotency-key': 'of another' });
    expect([refused.status, refused.headers.get(KEY_HOLDER_HEADER)]).toEqual([422, `webhooks ${entry}`]);
    expect(await askKeys('forget', { key: 'of another', entry })).toEqual([200, {}]);
    expect((await create({}, { 'idempotency-key': 'of another' })).status).toBe(201);
    expect(await askKeys('enter', { key: 'of another', home: 'webhooks' })).toEqual([
      200,
      { entry: null, holder: null },
    ]);
    expect(await askKeys('reserve', { ...old, key: 'new', home: 'accounts' })).toEqual([
      200,
      { reserved: true },
    ]);
  });

  it('shows its jobs to the operator interface only', async () => {
    const asked = { [SERVICE_TOKEN_HEADER]: serviceToken('domains') };
    const jobs = await fetch(`${base}/operator/jobs`, { headers: asked });
    expect(Object.keys(((await jobs.json()) as { queues: object }).queues)).toContain('domains.housekeeping');
    const retried = await fetch(`${base}/operator/jobs/retry`, { method: 'POST', headers: asked });
    expect([retried.status, await retried.json()]).toEqual([200, { retried: 0 }]);
    expect((await fetch(`${base}/operator/jobs/failed`)).status).toBe(404);
  });

  it('deletes dead letters that were not replayed in time, and logs their count', async () => {
    const dataSource = service.get(DataSource);
    const said: object[] = [];
    const logger = createLogger({ logLevel: 'silent' }, 'test');
    logger.warn = (line: object) => void said.push(line);
    const house = new Housekeeping(dataSource, service.get(Idempotency), context.settings, logger);
    // the service has a housekeeping of its own, which may come first
    const oldOnes = async () => {
      said.length = 0;
      await dataSource.query(
        `insert into dead_letters (consumer, event_id, stream, kind, reason, envelope, died_at)
         select 'a', 'old ' || n, 'messages', 'poison', 'r', '{}', now() - interval '31 days' from generate_series(1, 3) n`,
      );
      await house.run(new AbortController().signal);
      return said;
    };
    await expect.poll(oldOnes).toEqual([{ event: 'dead_letters.pruned', count: 3, days: 30 }]);
    expect(await dataSource.query(`select from dead_letters where event_id like 'old %'`)).toEqual([]);
  });

  it('has liveness locks for its runs, so that other processes notice their end', async () => {
    const own = await service.get(DataSource).query(
      `select from pg_locks join pg_stat_activity using (pid)
       where locktype = 'advisory' and application_name = 'postmesh-domains-mark'
         and objid in (select holder from idempotency where account_id = $1 and key = 'held')`,
      [accountId],
    );
    expect(own).toHaveLength(1);
  });

  it('has a row for its run, by which the next one notices an unclean stop', async () => {
    expect(await service.get(DataSource).query('select ended_at from consumer_runs')).toEqual([
      { ended_at: null },
    ]);
  });

  it('reports its health and metrics', async () => {
    expect((await fetch(`${base}/health/live`)).status).toBe(200);
    const ready = await fetch(`${base}/health/ready`);
    expect([ready.status, await ready.json()]).toEqual([
      200,
      { status: 'ready', checks: { serving: true, bus: true, jobs: true, database: true } },
    ]);
    expect(await (await fetch(`${base}/metrics`)).text()).toContain('postmesh_events_handled_total');
  });

  it('while it drains, is not ready, still serves requests, and ends their connections', async () => {
    const isEnding = (response: Response) => response.headers.get('connection') === 'close';
    const before = await fetch(`${base}/health/ready`);
    expect([before.status, isEnding(before)]).toEqual([200, false]);
    context.drain.begin();
    const ready = await fetch(`${base}/health/ready`);
    expect([ready.status, await ready.json()]).toMatchObject([503, { checks: { serving: false } }]);
    expect(await service.ready()).toBe(false);
    expect((await fetch(`${base}/health/live`)).status).toBe(200);
    const created = await create({});
    expect([created.status, isEnding(created)]).toEqual([201, true]);
  });

  it('answers running requests at a stop, also with a late body, and accepts no more connections', async () => {
    let send: () => void = () => undefined;
    const sent = new Promise<void>((resolve) => (send = resolve));
    const slow = async function* () {
      yield Buffer.from('{');
      await sent;
      yield Buffer.from('}');
    };
    const underWay = request(`${base}/v2/accounts/${accountId}/domains`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-principal': principal(['*']) },
      body: Readable.from(slow()),
    });
    // it is being read once another one was served
    await create({});
    const stopped = service.stop();
    await expect
      .poll(() =>
        fetch(`${base}/health/live`).then(
          () => 'taken',
          () => 'refused',
        ),
      )
      .toBe('refused');
    send();
    expect((await underWay).statusCode).toBe(201);
    await stopped;
  });

  it('closes its database after the last hook of its modules', () => {
    expect(databaseAtShutdown).toEqual([{ schema: schemaOf('domains') }]);
    expect(service.get(DataSource).isInitialized).toBe(false);
  });

  it('leaves no row of its run after a clean stop', async () => {
    const client = new pg.Client(database.url);
    await client.connect();
    const { rows } = await client.query(`select * from ${schemaOf('domains')}.consumer_runs`);
    await client.end();
    expect(rows).toEqual([]);
  });
});
