import {
  Global,
  Inject,
  Module,
  Optional,
  type DynamicModule,
  type OnApplicationShutdown,
  type Provider,
} from '@nestjs/common';
import { getDataSourceToken } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { schemaOf, type ServiceName } from '@postmesh/contracts';
import { SessionMark } from '@postmesh/database';
import { InternalClient, ServiceDirectory } from '@postmesh/http';
import { PeriodicModule } from '@postmesh/work';
import { Metrics } from '@postmesh/observability';
import { Outbox } from '@postmesh/events';
import { Pepper, SecretBox } from '@postmesh/secrets';
import { Drain } from './drain.js';
import { DeadLettersController } from './events/dead-letters.controller.js';
import { EventTransport } from './events/event-transport.js';
import { openOutbox, type ServiceOutbox } from './events/service-outbox.js';
import { databaseUrlOf } from './host-context.js';
import { Housekeeping } from './housekeeping.js';
import { IdempotencyKeysController } from './idempotency-keys.js';
import { JobsController } from './jobs.controller.js';
import { SecretRotation } from './secret-rotation/secret-rotation.js';
import { SecretsController } from './secret-rotation/secrets.controller.js';
import type { HostContext, ServiceDefinition } from './service-definition.js';
import { BLOB_STORE, BODY_ROOMS, EVENT_BUS, LOGGER, SETTINGS, TRACER } from './tokens.js';
import { Idempotency, STORED_RESPONSES } from './idempotency/idempotency.js';

/** publishes the events of a service to the bus (`ServiceOutbox`) */
export const SERVICE_OUTBOX = Symbol('ServiceOutbox');

/** The platform of a service: its host context, and on its database outbox, idempotency and secrets. */
@Global()
@Module({})
export class PlatformModule implements OnApplicationShutdown {
  constructor(
    @Optional() @Inject(SERVICE_OUTBOX) private readonly outbox?: ServiceOutbox,
    @Optional() private readonly mark?: SessionMark,
  ) {}

  static with(definition: ServiceDefinition, context: HostContext, client: InternalClient): DynamicModule {
    const { name, database } = definition;
    const providers: Provider[] = [
      { provide: SETTINGS, useValue: context.settings },
      { provide: LOGGER, useValue: context.logger },
      { provide: TRACER, useValue: context.tracing.of(name) },
      { provide: Metrics, useValue: context.metrics },
      { provide: InternalClient, useValue: client },
      { provide: ServiceDirectory, useValue: context.directory },
      { provide: BLOB_STORE, useValue: context.blobs },
      { provide: EVENT_BUS, useValue: context.bus },
      { provide: BODY_ROOMS, useValue: context.bodyRooms },
      { provide: Drain, useValue: context.drain },
      { provide: SecretBox, useValue: new SecretBox(context.settings.secretKeys) },
      { provide: Pepper, useValue: new Pepper(context.settings.secretKeys) },
      {
        provide: EventTransport,
        inject: [
          { token: DataSource, optional: true },
          { token: SessionMark, optional: true },
        ],
        useFactory: (dataSource?: DataSource, mark?: SessionMark) =>
          new EventTransport(name, context, dataSource, mark),
      },
      ...(database ? overDatabase(definition, context) : []),
    ];
    const { jobs, logger } = context;
    const periodic = PeriodicModule.of({ service: name, jobs, logger });
    return {
      module: PlatformModule,
      imports: [periodic],
      controllers: database
        ? [JobsController, DeadLettersController, IdempotencyKeysController, SecretsController]
        : [JobsController],
      providers: database ? [...providers, Housekeeping] : providers,
      exports: [periodic, ...providers.map((provider) => (provider as { provide: symbol }).provide)],
    };
  }

  /** The modules of the service have stopped; its data source closes after this. */
  async onApplicationShutdown(): Promise<void> {
    await this.outbox?.stop();
    await this.mark?.stop();
  }
}

/** The providers over the database of a service. */
function overDatabase({ name, database }: ServiceDefinition, context: HostContext): Provider[] {
  const { settings, logger } = context;
  const { sealed = [], peppered = [] } = database?.secrets ?? {};
  const columns = { sealed: [...sealed, STORED_RESPONSES], peppered };
  return [
    { provide: DataSource, useExisting: getDataSourceToken(name) },
    { provide: SessionMark, useFactory: () => markOf(name, context) },
    {
      provide: SERVICE_OUTBOX,
      inject: [DataSource],
      useFactory: (dataSource: DataSource) => openOutbox(name, context, dataSource),
    },
    { provide: Outbox, inject: [SERVICE_OUTBOX], useFactory: ({ outbox }: ServiceOutbox) => outbox },
    {
      provide: Idempotency,
      inject: [DataSource, SessionMark],
      useFactory: (dataSource: DataSource, mark: SessionMark) => new Idempotency(dataSource, settings, mark),
    },
    {
      provide: SecretRotation,
      inject: [DataSource],
      useFactory: (dataSource: DataSource) =>
        new SecretRotation({ dataSource, columns, secretKeys: settings.secretKeys, logger }),
    },
  ];
}

/** Shows other processes that this one is alive, and so are its runs under idempotency keys. */
const markOf = (name: ServiceName, { settings, logger }: HostContext): SessionMark =>
  new SessionMark({
    url: databaseUrlOf(settings, name),
    applicationName: `postmesh-${schemaOf(name)}-mark`,
    logger,
  });
