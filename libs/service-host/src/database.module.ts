import type { DynamicModule } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { schemaOf } from '@postmesh/contracts';
import { openDatabase } from '@postmesh/database';
import { OUTBOX_MIGRATIONS } from '@postmesh/events';
import { databaseUrlOf } from './host-context.js';
import { SECRET_ROTATION_MIGRATIONS } from './secret-rotation/secret-rotations.migrations.js';
import type { HostContext, ServiceDefinition } from './service-definition.js';
import { IDEMPOTENCY_MIGRATIONS } from './idempotency/idempotency.migrations.js';

type Context = Pick<HostContext, 'settings' | 'logger'>;

/**
 * The database of a service as a data source of Nest, which closes it with the application. It has the name of the
 * service, because the services of all-in-one share a process; within its service it is the only one and needs no name
 * (`PlatformModule`).
 * @param opened gets it: Nest closes nothing when it could not create the application
 * @returns undefined for a service without a database
 */
export function databaseModule(
  definition: ServiceDefinition,
  context: Context,
  opened: (dataSource: DataSource) => void,
): DynamicModule | undefined {
  if (!definition.database) return undefined;
  return TypeOrmModule.forRootAsync({
    name: definition.name,
    // openDatabase has retried already
    useFactory: () => ({ type: 'postgres', toRetry: () => false }),
    dataSourceFactory: async () => {
      const dataSource = await openServiceDatabase(definition, context);
      opened(dataSource);
      return dataSource;
    },
  });
}

/** Opens the database of a service that has one, and runs its migrations. */
export function openServiceDatabase(
  { name, database }: ServiceDefinition,
  { settings, logger }: Context,
): Promise<DataSource> {
  return openDatabase({
    url: databaseUrlOf(settings, name),
    schema: schemaOf(name),
    entities: database?.entities ?? [],
    migrations: [
      ...OUTBOX_MIGRATIONS,
      ...IDEMPOTENCY_MIGRATIONS,
      ...SECRET_ROTATION_MIGRATIONS,
      ...(database?.migrations ?? []),
    ],
    poolSize: settings.databasePoolSize,
    logger,
  });
}
