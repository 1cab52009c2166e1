import 'reflect-metadata';
import type { Server } from 'node:http';
import { Module, type DynamicModule, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { DataSource } from 'typeorm';
import { endsWithin } from '@postmesh/concurrency';
import type { ServiceName } from '@postmesh/contracts';
import { serverOf } from '@postmesh/database';
import {
  InternalClient,
  principalPublicKeys,
  PrincipalVerifier,
  serviceTokenKeys,
  ServiceTokens,
  stopListening,
} from '@postmesh/http';
import { PeriodicTasks } from '@postmesh/work';
import { databaseModule } from './database.module.js';
import { stopTimes } from './drain.js';
import { addHealthRoutes, pingDatabase } from './health-routes.js';
import { EventTransport } from './events/event-transport.js';
import type { ServiceOutbox } from './events/service-outbox.js';
import { AuthenticationGuard } from './http/authentication.guard.js';
import { localService } from './http/local-service.js';
import { OperationGuard } from './http/operation.guard.js';
import { RequestBodies } from './http/request-bodies.js';
import { createAdapter, ErrorFilter } from './http/responses.js';
import { WaitingRequests } from './http/waiting-requests.js';
import { NestLogger } from './nest-logger.js';
import { PlatformModule, SERVICE_OUTBOX } from './platform.module.js';
import { observeService } from './service-metrics.js';
import type { HostContext, RunningService, ServiceDefinition } from './service-definition.js';
import { Idempotency } from './idempotency/idempotency.js';

// Running requests end before the parts that they may need. Longer ones, such as uploads, end while the queues do.
const REQUESTS_MS = 2_000;

@Module({})
class ServiceRoot {
  static of(definition: ServiceDefinition, parts: ServiceParts): DynamicModule {
    const { context, client, database } = parts;
    const platform = PlatformModule.with(definition, context, client);
    // started in this order, stopped in the reverse order
    return { module: ServiceRoot, imports: [...(database ? [database] : []), platform, definition.module] };
  }
}

/**
 * Starts one service: database and migrations, HTTP, consumers, relay. Ready when it resolves.
 * @throws the error of the step that failed; nothing keeps running then
 */
export async function startService(
  definition: ServiceDefinition,
  context: HostContext,
): Promise<RunningService> {
  const { name } = definition;
  const own = { ...context, logger: context.logger.child({ service: name }) };
  let dataSource: DataSource | undefined;
  const database = databaseModule(definition, own, (opened) => (dataSource = opened));
  const client = new InternalClient(own.directory, tokensOf(name, own));
  let app: NestFastifyApplication | undefined;
  try {
    const application = await createApplication(definition, { context: own, client, database });
    ({ app } = application);
    await application.open();
    if (dataSource) {
      await app.get<ServiceOutbox>(SERVICE_OUTBOX).start(app.get(PeriodicTasks, { strict: false }));
      observeService({ service: name, dataSource }, own);
    }
    return running({ name, app, dataSource, context: own });
  } catch (error) {
    await stopParts({ name, app, dataSource, context: own }).catch((failure: unknown) => {
      const line = { event: 'service.start_not_undone', err: failure };
      own.logger.error(line, 'cleanup after failed start failed');
    });
    throw error;
  }
}

const tokensOf = (name: ServiceName, { settings }: HostContext): ServiceTokens =>
  new ServiceTokens(serviceTokenKeys(settings), name);

/** With its definition, the parts of a service for Nest. */
interface ServiceParts {
  context: HostContext;
  client: InternalClient;
  database: DynamicModule | undefined;
}

interface Application {
  app: NestFastifyApplication;
  /** initializes its modules; then it is in the directory, and its consumers run */
  open(): Promise<void>;
}

async function createApplication(definition: ServiceDefinition, parts: ServiceParts): Promise<Application> {
  const { context } = parts;
  const { settings, logger } = context;
  const tokens = tokensOf(definition.name, context);
  const bodies = new RequestBodies(settings, context.bodyRooms, tokens);
  const app = await NestFactory.create<NestFastifyApplication>(
    ServiceRoot.of(definition, parts),
    createAdapter(bodies),
    { bodyParser: false, abortOnError: false, logger: new NestLogger(logger) },
  );
  const idempotency = definition.database && app.get(Idempotency);
  app.connectMicroservice({ strategy: app.get(EventTransport) });
  app.useGlobalFilters(new ErrorFilter(logger));
  const principals = new PrincipalVerifier(principalPublicKeys(settings), definition.name);
  app.useGlobalGuards(
    new AuthenticationGuard({ principals, tokens, idempotency }),
    new OperationGuard(idempotency, context.tracing.of(definition.name)),
  );
  const fastify = app.getHttpAdapter().getInstance() as unknown as FastifyInstance;
  const server = definition.database && serverOf(app.get(DataSource));
  if (server) new WaitingRequests(server, logger).watch(fastify);
  addHealthRoutes(fastify, definition.name, context, definition.database && app.get(DataSource));
  const open = async () => {
    await app.init();
    await fastify.ready();
    context.directory.addLocal(definition.name, localService(fastify));
    await app.startAllMicroservices();
  };
  return { app, open };
}

interface Parts {
  name: ServiceName;
  app: NestFastifyApplication;
  dataSource: DataSource | undefined;
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

/**
 * Ends requests, consumers and periodic tasks before the parts that they need.
 * @param parts without `app` after a start that failed early
 */
async function stopParts(parts: Omit<Parts, 'app'> & { app: Parts['app'] | undefined }): Promise<void> {
  const { name, app, dataSource, context } = parts;
  context.directory.removeLocal(name);
  try {
    if (app) await closeApplication(app, stopTimes(context.settings).graceMs);
  } finally {
    // Nest closes the one of an application
    if (dataSource?.isInitialized) await dataSource.destroy();
  }
}

async function closeApplication(app: NestFastifyApplication, graceMs: number): Promise<void> {
  const listener = closeListener(app.getHttpServer(), graceMs);
  const requests = endsWithin(listener, REQUESTS_MS);
  const tasks = app.get(PeriodicTasks, { strict: false }).close();
  await Promise.all([requests, app.get(EventTransport).close(), tasks]);
  await app.close();
  await listener;
}

/** Accepts no new connections. Resolves when running requests are answered, or cut after the grace. */
async function closeListener(server: Server, graceMs: number): Promise<void> {
  if (!server.listening) return;
  const closed = stopListening(server);
  if (!(await endsWithin(closed, graceMs))) server.closeAllConnections();
}
