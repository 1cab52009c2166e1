import 'reflect-metadata';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { Module, type DynamicModule, type Type } from '@nestjs/common';
import { ModulesContainer, NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import type { DataSource } from 'typeorm';
import { endsWithin } from '@postmesh/concurrency';
import { schemaOf, type ServiceName } from '@postmesh/contracts';
import { openDatabase, SessionMark } from '@postmesh/database';
import { Idempotency, IDEMPOTENCY_MIGRATIONS, STORED_RESPONSES } from '@postmesh/idempotency';
import {
  InternalClient,
  PrincipalVerifier,
  principalPublicKeys,
  serviceTokenKeys,
  ServiceTokens,
} from '@postmesh/internal-http';
import { OUTBOX_MIGRATIONS } from '@postmesh/outbox';
import { stopTimes } from './drain.js';
import { addHealthRoutes, pingDatabase } from './health-routes.js';
import { EventTransport } from './events/event-transport.js';
import { openOutbox, type ServiceOutbox } from './events/service-outbox.js';
import { databaseUrlOf } from './host-context.js';
import { startHousekeeping } from './housekeeping.js';
import { AuthenticationGuard } from './http/authentication.guard.js';
import { DirectOperations } from './http/direct-operations.js';
import { localService } from './http/local-service.js';
import { OperationInterceptor } from './http/operation.interceptor.js';
import { RequestBodies } from './http/request-bodies.js';
import { createAdapter, ErrorFilter } from './http/responses.js';
import { keysElsewhere } from './idempotency-keys.js';
import { NestLogger } from './nest-logger.js';
import { PlatformModule, type Platform } from './platform.module.js';
import { SecretRotation } from './secret-rotation/secret-rotation.js';
import { SECRET_ROTATION_MIGRATIONS } from './secret-rotation/secret-rotations.migrations.js';
import { observeService } from './service-metrics.js';
import type { HostContext, RunningService, ServiceDefinition } from './service-definition.js';

// Of a stop: requests under way end before anything that they may need. Longer ones, as uploads, end beside the queues.
const REQUESTS_MS = 2_000;

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
  const mark = dataSource && markOf(name, own);
  let app: NestFastifyApplication | undefined;
  let events: ServiceOutbox | undefined;
  try {
    events = dataSource && openOutbox(name, own, dataSource);
    const client = new InternalClient(own.directory, tokensOf(name, own));
    const idempotency =
      dataSource && new Idempotency(dataSource, own.settings, keysElsewhere(client, name), mark);
    const parts = { dataSource, mark, outbox: events?.outbox, client, idempotency };
    const application = await createApplication(definition, own, parts);
    ({ app } = application);
    await application.open();
    await events?.start();
    if (dataSource) observeService({ service: name, dataSource }, own);
    if (dataSource && idempotency) await startHousekeeping({ service: name, dataSource, idempotency }, own);
    return running({ name, app, events, dataSource, mark, context: own });
  } catch (error) {
    await stopParts({ name, app, events, dataSource, mark, context: own }).catch((failure: unknown) => {
      const line = { event: 'service.start_not_undone', err: failure };
      own.logger.error(line, 'a start that failed did not end in order');
    });
    throw error;
  }
}

/** Brings the database of a service up to its migrations. @returns undefined for a service that has none */
export async function openServiceDatabase(
  definition: ServiceDefinition,
  context: Pick<HostContext, 'settings' | 'logger'>,
): Promise<DataSource | undefined> {
  if (!definition.database) return undefined;
  return openDatabase({
    url: databaseUrlOf(context.settings, definition.name),
    schema: schemaOf(definition.name),
    entities: definition.database.entities,
    migrations: [
      ...OUTBOX_MIGRATIONS,
      ...IDEMPOTENCY_MIGRATIONS,
      ...SECRET_ROTATION_MIGRATIONS,
      ...definition.database.migrations,
    ],
    poolSize: context.settings.databasePoolSize,
    logger: context.logger,
  });
}

/** By it other processes see that runs under idempotency keys are still at work, and that this one did not crash. */
const markOf = (name: ServiceName, { settings, logger }: HostContext): SessionMark =>
  new SessionMark({
    url: databaseUrlOf(settings, name),
    applicationName: `postmesh-${schemaOf(name)}-mark`,
    logger,
  });

const tokensOf = (name: ServiceName, { settings }: HostContext): ServiceTokens =>
  new ServiceTokens(serviceTokenKeys(settings), name);

interface Application {
  app: NestFastifyApplication;
  /** initializes its modules; from then on it is in the directory, and its consumers run */
  open(): Promise<void>;
}

async function createApplication(
  definition: ServiceDefinition,
  context: HostContext,
  parts: Pick<Platform, 'dataSource' | 'mark' | 'outbox' | 'idempotency' | 'client'>,
): Promise<Application> {
  const { settings, logger } = context;
  const { dataSource, mark, idempotency } = parts;
  const events = new EventTransport(definition.name, context, dataSource, mark);
  const tokens = tokensOf(definition.name, context);
  const platform: Platform = {
    ...parts,
    context,
    secretRotation: dataSource && secretRotation(definition, context, dataSource),
    events,
    service: definition.name,
  };
  const bodies = new RequestBodies(settings, context.bodyRooms, tokens);
  const errors = new ErrorFilter(logger);
  const interceptor = new OperationInterceptor(idempotency, context.tracing.of(definition.name));
  const app = await NestFactory.create<NestFastifyApplication>(
    ServiceRoot.of(definition.module, platform),
    createAdapter(bodies),
    { bodyParser: false, abortOnError: false, logger: new NestLogger(logger) },
  );
  app.connectMicroservice({ strategy: events });
  app.useGlobalFilters(errors);
  const principals = new PrincipalVerifier(principalPublicKeys(settings), definition.name);
  app.useGlobalGuards(new AuthenticationGuard({ principals, tokens, idempotency }));
  app.useGlobalInterceptors(interceptor);
  const fastify = app.getHttpAdapter().getInstance() as unknown as FastifyInstance;
  addHealthRoutes(fastify, definition.name, context, dataSource);
  const open = async () => {
    await app.init();
    await fastify.ready();
    const direct = new DirectOperations(app.get(ModulesContainer), {
      bodies,
      idempotency,
      interceptor,
      errors,
    });
    context.directory.addLocal(
      definition.name,
      localService(fastify, (call) => direct.serve(call)),
    );
    await app.startAllMicroservices();
  };
  return { app, open };
}

function secretRotation(
  { name: service, database }: ServiceDefinition,
  { settings, jobs, logger }: HostContext,
  dataSource: DataSource,
): SecretRotation {
  const { sealed = [], peppered = [] } = database?.secrets ?? {};
  const columns = { sealed: [...sealed, STORED_RESPONSES], peppered };
  return new SecretRotation({ service, dataSource, columns, secretKeys: settings.secretKeys, jobs, logger });
}

interface Parts {
  name: ServiceName;
  app: NestFastifyApplication;
  events: ServiceOutbox | undefined;
  dataSource: DataSource | undefined;
  mark: SessionMark | undefined;
  context: HostContext;
}

function running(parts: Parts): RunningService {
  const { name, app, dataSource, context } = parts;
  let stopping: Promise<void> | undefined;
  return {
    name,
    ready: async () => !context.drain.hasBegun && context.bus.ready() && (await pingDatabase(dataSource)),
    listen: async (host, port) => {
      await app.listen(port, host);
      const address = app.getHttpServer().address() as { port: number };
      return address.port;
    },
    get: (token) => app.get(token as Type, { strict: false }),
    stop: () => (stopping ??= stopParts(parts)),
  };
}

/** Ends requests and consumers before what they need. @param parts without `app`: its start failed before there was one */
async function stopParts(parts: Omit<Parts, 'app'> & { app: Parts['app'] | undefined }): Promise<void> {
  const { name, app, events, dataSource, mark, context } = parts;
  context.directory.removeLocal(name);
  try {
    if (app) await closeApplication(app, stopTimes(context.settings).graceMs);
  } finally {
    await events?.stop();
    await mark?.stop();
    await dataSource?.destroy();
  }
}

async function closeApplication(app: NestFastifyApplication, graceMs: number): Promise<void> {
  const listener = closeListener(app.getHttpServer(), graceMs);
  await Promise.all([endsWithin(listener, REQUESTS_MS), app.get(EventTransport).close()]);
  await app.close();
  await listener;
}

/** No new connections. Resolves when requests under way are answered, or cut after the grace. */
async function closeListener(server: Server, graceMs: number): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  server.closeIdleConnections();
  if (!(await endsWithin(closed, graceMs))) server.closeAllConnections();
}
