import { Global, Module, type DynamicModule, type Provider } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { ServiceName } from '@postmesh/contracts';
import type { SessionMark } from '@postmesh/database';
import { Idempotency } from '@postmesh/idempotency';
import { InternalClient, ServiceDirectory } from '@postmesh/internal-http';
import { Metrics } from '@postmesh/observability';
import { Outbox } from '@postmesh/outbox';
import { Pepper, SecretBox } from '@postmesh/secrets';
import { Drain } from './drain.js';
import { DeadLettersController } from './events/dead-letters.controller.js';
import { EventTransport } from './events/event-transport.js';
import { IdempotencyKeysController } from './idempotency-keys.js';
import { JobsController } from './jobs.controller.js';
import { SecretRotation } from './secret-rotation/secret-rotation.js';
import { SecretsController } from './secret-rotation/secrets.controller.js';
import type { HostContext } from './service-definition.js';
import { BLOB_STORE, BODY_ROOMS, EVENT_BUS, JOBS, LOGGER, SETTINGS, TRACER } from './tokens.js';

/** What of the platform a service has at hand. */
export interface Platform {
  context: HostContext;
  dataSource: DataSource | undefined;
  /** of this process, in the database of the service */
  mark: SessionMark | undefined;
  outbox: Outbox | undefined;
  idempotency: Idempotency | undefined;
  secretRotation: SecretRotation | undefined;
  client: InternalClient;
  events: EventTransport;
  service: ServiceName;
}

@Global()
@Module({})
export class PlatformModule {
  static with(platform: Platform): DynamicModule {
    const { context } = platform;
    const providers: Provider[] = [
      { provide: SETTINGS, useValue: context.settings },
      { provide: LOGGER, useValue: context.logger },
      { provide: TRACER, useValue: context.tracing.of(platform.service) },
      { provide: Metrics, useValue: context.metrics },
      { provide: InternalClient, useValue: platform.client },
      { provide: ServiceDirectory, useValue: context.directory },
      { provide: BLOB_STORE, useValue: context.blobs },
      { provide: EVENT_BUS, useValue: context.bus },
      { provide: EventTransport, useValue: platform.events },
      { provide: JOBS, useValue: context.jobs },
      { provide: BODY_ROOMS, useValue: context.bodyRooms },
      { provide: Drain, useValue: context.drain },
      { provide: SecretBox, useValue: new SecretBox(context.settings.secretKeys) },
      { provide: Pepper, useValue: new Pepper(context.settings.secretKeys) },
    ];
    if (platform.outbox) providers.push({ provide: Outbox, useValue: platform.outbox });
    if (platform.dataSource) providers.push({ provide: DataSource, useValue: platform.dataSource });
    if (platform.idempotency) providers.push({ provide: Idempotency, useValue: platform.idempotency });
    if (platform.secretRotation)
      providers.push({ provide: SecretRotation, useValue: platform.secretRotation });
    return {
      module: PlatformModule,
      controllers: platform.idempotency
        ? [JobsController, DeadLettersController, IdempotencyKeysController, SecretsController]
        : [JobsController],
      providers,
      exports: providers.map((provider) => (provider as { provide: symbol }).provide),
    };
  }
}
