import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import {
  Controller,
  Header,
  Module,
  Param,
  Req,
  Scope,
  UseGuards,
  type Provider,
  type Type,
} from '@nestjs/common';
import {
  APP_FILTER,
  APP_GUARD,
  APP_INTERCEPTOR,
  APP_PIPE,
  ModulesContainer,
  NestFactory,
} from '@nestjs/core';
import { AccountId, ApiKeyId, newId, type ApiResponse, type OperationId } from '@postmesh/contracts';
import { serviceTokenKeys, ServiceTokens } from '@postmesh/http';
import { createLogger, NO_TRACING } from '@postmesh/observability';
import { loadSettings } from '@postmesh/settings';
import { afterEach, describe, expect, it } from 'vitest';
import { Call, type ApiCall } from './api-call.js';
import { bodyRooms } from './body-rooms.js';
import { DirectOperations } from './direct-operations.js';
import { Operation } from './operation.decorator.js';
import { OperationInterceptor } from './operation.interceptor.js';
import { RequestBodies } from './request-bodies.js';
import { ErrorFilter } from './responses.js';

const SETTINGS = { ...loadSettings({}), secretKeys: ['a-secret-that-is-long-enough-for-everybody'] };
const logger = createLogger({ logLevel: 'silent' }, 'test');
const account = AccountId.parse(newId());

const closed = new Readable().destroy();

const streams: Record<string, () => Readable> = {
  whole: () => Readable.from(['{"a":', '1}']),
  'fails at once': () =>
    new Readable({
      read() {
        this.destroy(new Error('a secret of the service'));
      },
    }),
  'ends at once, without an end': () =>
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
class StreamsController {
  @Operation('messages.get')
  async get(@Call() _call: ApiCall, @Param('message_id') id: string): Promise<ApiResponse> {
    return { status: 200, bytes: Buffer.alloc(0), stream: streams[id]?.() as Readable };
  }
}

@Module({ controllers: [StreamsController] })
class StreamsModule {}

const closes: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closes.splice(0)) await close();
});

async function operationsOf(module: Type): Promise<DirectOperations> {
  const app = await NestFactory.createApplicationContext(module, { logger: false });
  closes.push(() => app.close());
  const tokens = new ServiceTokens(serviceTokenKeys(SETTINGS), 'messages');
  return new DirectOperations(app.get(ModulesContainer), {
    bodies: new RequestBodies(SETTINGS, bodyRooms(SETTINGS), tokens),
    idempotency: undefined,
    interceptor: new OperationInterceptor(undefined, NO_TRACING.of('test')),
    errors: new ErrorFilter(logger),
  });
}

function serve(direct: DirectOperations, id: OperationId, params: Record<string, string>, of = account) {
  const request = new IncomingMessage(new Socket());
  request.method = 'GET';
  const principal = {
    account_id: of,
    key_id: ApiKeyId.parse(newId()),
    scopes: ['*'],
    account: {
      status: 'active' as const,
      platform_partner: false,
      track_opens: false,
      track_clicks: false,
      reject_bad_recipients: false,
      reject_mistyped_recipients: false,
      message_metadata_retention: 7,
      message_data_retention: 7,
      parent_account_id: null,
      monthly_credit: 0,
      credit_pool: null,
    },
  };
  const url = `/v2/accounts/${account}/messages/x`;
  return direct.serve({
    id,
    principal,
    params: { account_id: account, ...params },
    url,
    headers: {},
    request,
  });
}

const errorOf = ({ status, bytes }: ApiResponse) => [status, JSON.parse(bytes.toString())];

describe('an operation that is called without HTTP', () => {
  it('responds with a stream that has begun', async () => {
    const response = await serve(await operationsOf(StreamsModule), 'messages.get', { message_id: 'whole' });
    expect([response.status, await text(response.stream as Readable)]).toEqual([200, '{"a":1}']);
  });

  it.each(['fails at once', 'ends at once, without an end', 'was closed before'])(
    'responds with an error where its stream %s',
    async (id) => {
      const response = await serve(await operationsOf(StreamsModule), 'messages.get', { message_id: id });
      expect(errorOf(response)).toEqual([500, { message: 'internal server error' }]);
    },
  );

  it('leaves a stream that fails later to its sender', async () => {
    const direct = await operationsOf(StreamsModule);
    const response = await serve(direct, 'messages.get', { message_id: 'fails later' });
    expect(response.status).toBe(200);
    await expect(text(response.stream as Readable)).rejects.toThrow('a secret of the service');
  });

  it('is not served to a principal of another account than the path’s', async () => {
    const direct = await operationsOf(StreamsModule);
    const other = AccountId.parse(newId());
    const response = await serve(direct, 'messages.get', { message_id: 'whole' }, other);
    expect(errorOf(response)).toEqual([401, { message: 'invalid API key' }]);
  });

  it('is an unknown path where the service has no such operation', async () => {
    const response = await serve(await operationsOf(StreamsModule), 'messages.list', {});
    expect(errorOf(response)).toEqual([404, { message: 'not found' }]);
  });

  it('takes the whole body, the whole query and named parts of the path: a service with anything else does not start', async () => {
    @Controller()
    class OtherController {
      @Operation('messages.list')
      async list(@Req() _request: unknown): Promise<ApiResponse> {
        return { status: 200, bytes: Buffer.alloc(0) };
      }
    }
    @Module({ controllers: [OtherController] })
    class OtherModule {}
    await expect(operationsOf(OtherModule)).rejects.toThrow(
      'messages.list: parameter 0 is of a kind that operations do not take',
    );
  });

  it('has no guard of its own: a service with one does not start', async () => {
    @UseGuards({ canActivate: () => false })
    @Controller()
    class GuardedController {
      @Operation('messages.list')
      async list(): Promise<ApiResponse> {
        return { status: 200, bytes: Buffer.alloc(0) };
      }
    }
    @Module({ controllers: [GuardedController] })
    class GuardedModule {}
    await expect(operationsOf(GuardedModule)).rejects.toThrow(
      'messages.list: operations have no __guards__ of their own',
    );
  });

  it('has no header of its own: a service with one does not start', async () => {
    @Controller()
    class HeadedController {
      @Header('x-more', 'yes')
      @Operation('messages.list')
      async list(): Promise<ApiResponse> {
        return { status: 200, bytes: Buffer.alloc(0) };
      }
    }
    @Module({ controllers: [HeadedController] })
    class HeadedModule {}
    await expect(operationsOf(HeadedModule)).rejects.toThrow('operations have no __headers__ of their own');
  });

  it.each<[string, Provider]>([
    [APP_GUARD, { provide: APP_GUARD, useValue: { canActivate: () => false } }],
    [APP_INTERCEPTOR, { provide: APP_INTERCEPTOR, useValue: { intercept: () => undefined } }],
    [APP_PIPE, { provide: APP_PIPE, useValue: { transform: () => undefined } }],
    [APP_FILTER, { provide: APP_FILTER, useValue: { catch: () => undefined } }],
    [
      APP_GUARD,
      { provide: APP_GUARD, scope: Scope.REQUEST, useFactory: () => ({ canActivate: () => false }) },
    ],
  ])('meets no %s of a module: a service with one does not start', async (chain, provider) => {
    @Module({ providers: [provider] })
    class InnerModule {}
    @Module({ imports: [InnerModule], controllers: [StreamsController] })
    class OuterModule {}
    await expect(operationsOf(OuterModule)).rejects.toThrow(
      `InnerModule: a module of a service provides no ${chain}`,
    );
  });
});
