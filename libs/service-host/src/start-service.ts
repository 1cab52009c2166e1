import 'reflect-metadata';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Module, type DynamicModule, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import type { DataSource } from 'typeorm';
import { schemaOf, type ServiceName } from '@postmesh/contracts';
import { openDatabase } from '@postmesh/database';
import { BusTransportStrategy, connectEventBus } from '@postmesh/event-bus';
import { Idempotency, IDEMPOTENCY_MIGRATIONS } from '@postmesh/idempotency';
import {
  InternalClient,
  PrincipalVerifier,
  principalPublicKeys,
  serviceTokenKeys,
  ServiceTokens,
  type LocalService,
} from '@postmesh/internal-http';
import { OUTBOX_MIGRATIONS, OutboxRelay } from '@postmesh/outbox';
import { databaseUrlOf } from './database-url.js';
import { addHealthRoutes, pingDatabase } from './health-routes.js';
import { startHousekeeping } from './housekeeping.js';
import { AuthenticationGuard } from './http/authentication.guard.js';
import { createAdapter } from './http/response.adapter.js';
import { ErrorFilter } from './http/error.filter.js';
import { OperationInterceptor } from './http/operation.interceptor.js';
import { keysElsewhere } from './keys-elsewhere.js';
import { NestLogger } from './nest-logger.js';
import { observeBus } from './observe-bus.js';
import { PlatformModule, type Platform } from './platform.module.js';
import type { HostContext, RunningService, ServiceDefinition } from './service-definition.js';

@Module({})
class ServiceRoot {
  static of(service: Type, platform: Platform): DynamicModule {
    return { module: ServiceRoot, imports: [PlatformModule.with(platform), service] };
  }
}

/**
 * Starts one service: database and migrations, HTTP, consumers, relay. Ready when it resolves.
 * @throws whatever made the start impossible; nothing keeps running then
 */
export async function startService(
  definition: ServiceDefinition,
  context: HostContext,
): Promise<RunningService> {
  const { name } = definition;
  const own = { ...context, logger: context.logger.child({ service: name }) };
  const dataSource = await openServiceDatabase(definition, own);
  try {
    const app = await createApplication(definition, own, dataSource);
    const relay = startRelay(definition, own, dataSource);
    if (dataSource) await startHousekeeping(name, own, dataSource);
    return running({ name, app, relay, dataSource, context: own });
  } catch (error) {
    await dataSource?.destroy();
    throw error;
  }
}

async function openServiceDatabase(
  definition: ServiceDefinition,
  context: HostContext,
): Promise<DataSource | undefined> {
  if (!definition.database) return undefined;
  return openDatabase({
    url: databaseUrlOf(context.settings, definition.name),
    schema: schemaOf(definition.name),
    entities: definition.database.entities,
    migrations: [...OUTBOX_MIGRATIONS, ...IDEMPOTENCY_MIGRATIONS, ...definition.database.migrations],
    poolSize: context.settings.databasePoolSize,
    logger: context.logger,
  });
}

async function createApplication(
  definition: ServiceDefinition,
  context: HostContext,
  dataSource: DataSource | undefined,
): Promise<NestFastifyApplication> {
  const { settings, logger } = context;
  const tokens = new ServiceTokens(serviceTokenKeys(settings), definition.name);
  const client = new InternalClient(context.directory, tokens);
  const elsewhere = keysElsewhere(client, definition.name);
  const idempotency = dataSource ? new Idempotency(dataSource, settings, elsewhere) : undefined;
  const platform = { context, dataSource, idempotency, client };
  const app = await NestFactory.create<NestFastifyApplication>(
    ServiceRoot.of(definition.module, platform),
    createAdapter(settings),
    { bodyParser: false, abortOnError: false, logger: new NestLogger(logger) },
  );
  app.useGlobalFilters(new ErrorFilter(logger));
  const principals = new PrincipalVerifier(principalPublicKeys(settings), definition.name);
  app.useGlobalGuards(new AuthenticationGuard({ principals, tokens, idempotency }));
  app.useGlobalInterceptors(new OperationInterceptor(idempotency));
  const fastify = app.getHttpAdapter().getInstance() as unknown as FastifyInstance;
  addHealthRoutes(fastify, context, dataSource);
  await app.init();
  await fastify.ready();
  context.directory.addLocal(definition.name, localService(fastify));
  await hearEvents(app, definition, context);
  return app;
}

/** Joins the service's consumer group once everything that its handlers need is there. */
async function hearEvents(
  app: NestFastifyApplication,
  definition: ServiceDefinition,
  context: HostContext,
): Promise<void> {
  if (definition.hears.length === 0) return;
  const strategy = new BusTransportStrategy({
    bus: context.bus,
    group: definition.name,
    streams: definition.hears,
    logger: context.logger,
    observer: observeBus(context.metrics, definition.name),
  });
  connectEventBus(app, strategy);
  await app.startAllMicroservices();
}

function startRelay(
  definition: ServiceDefinition,
  context: HostContext,
  dataSource: DataSource | undefined,
): OutboxRelay | undefined {
  if (!dataSource) return undefined;
  const relay = new OutboxRelay({
    url: databaseUrlOf(context.settings, definition.name),
    schema: schemaOf(definition.name),
    bus: context.bus,
    dataSource,
    logger: context.logger,
    metrics: context.metrics,
  });
  relay.start();
  return relay;
}

function localService(fastify: FastifyInstance): LocalService {
  return {
    route: (request: IncomingMessage, response: ServerResponse) => fastify.routing(request, response),
    inject: async (request) => {
      const response = await fastify.inject({
        method: request.method,
        url: request.path,
        headers: request.headers,
        ...(request.raw
          ? { payload: request.raw.bytes }
          : request.body === undefined
            ? {}
            : { payload: JSON.stringify(request.body) }),
      });
      return {
        status: response.statusCode,
        headers: response.headers as Record<string, string>,
        bytes: response.rawPayload,
      };
    },
  };
}

interface Parts {
  name: ServiceName;
  app: NestFastifyApplication;
  relay: OutboxRelay | undefined;
  dataSource: DataSource | undefined;
  context: HostContext;
}

function running({ name, app, relay, dataSource, context }: Parts): RunningService {
  let stopping: Promise<void> | undefined;
  const stop = async () => {
    context.directory.removeLocal(name);
    await app.close();
    await relay?.stop();
    await dataSource?.destroy();
  };
  return {
    name,
    ready: async () => context.bus.ready() && (await pingDatabase(dataSource)),
    listen: async (host, port) => {
      await app.listen(port, host);
      const address = app.getHttpServer().address() as { port: number };
      return address.port;
    },
    get: (token) => app.get(token as Type, { strict: false }),
    stop: () => (stopping ??= stop()),
  };
}
