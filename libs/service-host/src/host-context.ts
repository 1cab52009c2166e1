import { join } from 'node:path';
import { createBlobStore, type BlobStoreOptions } from '@postmesh/blob-store';
import { setJsonLimits, type ServiceName } from '@postmesh/contracts';
import { createEmbeddedBus, createKafkaBus, isRefused, type EventBus } from '@postmesh/events';
import { retryTransient } from '@postmesh/database';
import { ServiceDirectory } from '@postmesh/http';
import { createJobs, type Jobs } from '@postmesh/work';
import { createLogger, Metrics, observeEventLoop, startTracing, type Logger } from '@postmesh/observability';
import { serviceSetting, type Settings } from '@postmesh/settings';
import { Drain } from './drain.js';
import { bodyRooms } from './http/body-rooms.js';
import { kafkaOptions } from './kafka-options.js';
import type { HostContext } from './service-definition.js';

/**
 * The shared parts of a process: bus, jobs, content, directory; the settings alone decide the drivers
 * (architecture §4).
 * @throws Error when neither DATABASE_URL nor the external part is given
 */
export async function createHostContext(
  settings: Settings,
  name: string,
  given: { logger?: Logger; metrics?: Metrics } = {},
): Promise<HostContext & { close(): Promise<void> }> {
  const logger = given.logger ?? createLogger(settings, name);
  const metrics = given.metrics ?? new Metrics();
  observeEventLoop(metrics, name);
  setJsonLimits({ depth: settings.jsonDepth, values: settings.jsonValues });
  const tracing = await startTracing(settings, logger);
  const bus = await createBus(settings, name, logger);
  const jobs = await createServiceJobs(settings, logger);
  const blobs = await createBlobStore(blobOptions(settings, logger));
  const directory = ServiceDirectory.fromSettings(settings);
  const close = async () => {
    await jobs.close();
    await bus.close();
    await blobs.close();
    await directory.close();
    await tracing.stop();
  };
  const parts = { settings, logger, metrics, tracing, bus, jobs, blobs, directory };
  return { ...parts, bodyRooms: bodyRooms(settings), drain: new Drain(), close };
}

async function createBus(settings: Settings, name: string, logger: Logger): Promise<EventBus> {
  const what = 'the event bus';
  if (settings.kafkaBrokers.length === 0) {
    const url = sharedDatabase(settings, what);
    return retryTransient(() => createEmbeddedBus({ url, logger }), { what, logger });
  }
  const options = { ...(await kafkaOptions(settings)), clientId: `postmesh-${name}`, logger };
  const waiting = { what, logger, awaited: 'kafka', isFinal: isRefused } as const;
  return retryTransient(() => createKafkaBus(options), waiting);
}

function createServiceJobs(settings: Settings, logger: Logger): Promise<Jobs> {
  const backend = settings.redisUrl
    ? { redisUrl: settings.redisUrl }
    : { postgresUrl: sharedDatabase(settings, 'jobs') };
  return createJobs({ backend, prefix: 'postmesh', logger });
}

export function blobOptions(settings: Settings, logger: Logger): BlobStoreOptions {
  switch (settings.blobStore) {
    case 'filesystem':
      return { driver: 'filesystem', dir: settings.blobDir ?? join(settings.dataDir, 'blobs') };
    case 's3':
      return s3Options(settings);
    default:
      return { driver: 'postgres', url: sharedDatabase(settings, 'content'), logger };
  }
}

function s3Options(settings: Settings): BlobStoreOptions {
  const { s3Bucket: bucket, s3AccessKey: accessKeyId, s3SecretKey: secretAccessKey } = settings;
  if (bucket === undefined) throw new Error('POSTMESH_BLOB_STORE=s3 needs POSTMESH_S3_BUCKET');
  if ((accessKeyId === undefined) !== (secretAccessKey === undefined))
    throw new Error('POSTMESH_S3_ACCESS_KEY and POSTMESH_S3_SECRET_KEY belong together');
  return {
    driver: 's3',
    bucket,
    endpoint: settings.s3Endpoint,
    region: settings.s3Region,
    pathStyle: settings.s3PathStyle,
    prefix: settings.s3Prefix,
    credentials:
      accessKeyId !== undefined && secretAccessKey !== undefined
        ? { accessKeyId, secretAccessKey }
        : undefined,
  };
}

function sharedDatabase(settings: Settings, what: string): string {
  if (settings.databaseUrl === undefined) throw new Error(`${what} needs DATABASE_URL`);
  return settings.databaseUrl;
}

/** @throws Error when neither the service nor the installation has a database */
export function databaseUrlOf(settings: Settings, service: ServiceName): string {
  const own = service === 'gateway' ? undefined : settings[serviceSetting(service, 'DatabaseUrl')];
  const url = own ?? settings.databaseUrl;
  if (url === undefined) throw new Error(`the ${service} service needs DATABASE_URL`);
  return url;
}
