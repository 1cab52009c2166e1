import { createBlobStore } from '@postmesh/blob-store';
import type { Logger } from '@postmesh/observability';
import type { Settings } from '@postmesh/settings';
import { blobOptions } from './host-context.js';
import { openServiceDatabase } from './database.module.js';
import type { ServiceDefinition } from './service-definition.js';

/**
 * Runs the migrations that a start of these services would run, and nothing else: before a release is rolled out, so
 * that none of its processes waits for a migration. Migrations work with the previous release (CONTRIBUTING.md, How to
 * add a migration), whose processes keep running. Safe to repeat, and to run twice at once: there is a lock per schema.
 * @throws the driver's error when a database cannot be reached or a migration fails; those before it are kept
 */
export async function migrateServices(
  definitions: readonly ServiceDefinition[],
  settings: Settings,
  logger: Logger,
): Promise<void> {
  if (settings.blobStore === 'postgres') {
    // its tables are created when it is opened
    const content = await createBlobStore(blobOptions(settings, logger));
    await content.close();
  }
  for (const definition of definitions) {
    if (definition.database) await (await openServiceDatabase(definition, { settings, logger })).destroy();
    logger.info({ event: 'service.migrated', service: definition.name }, 'migrations are done');
  }
}
