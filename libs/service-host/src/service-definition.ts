import type { Type } from '@nestjs/common';
import type { EntitySchema, MigrationInterface } from 'typeorm';
import type { BlobStore } from '@postmesh/blob-store';
import type { ServiceName } from '@postmesh/contracts';
import type { EventBus } from '@postmesh/events';
import type { ServiceDirectory } from '@postmesh/http';
import type { Jobs } from '@postmesh/work';
import type { Logger, Metrics, Tracing } from '@postmesh/observability';
import type { Settings } from '@postmesh/settings';
import type { Drain } from './drain.js';
import type { BodyRooms } from './http/body-rooms.js';
import type { SecretColumns } from './secret-rotation/secret-rotation.js';

/** Definition of a service: the same for all-in-one, a process of its own, and tests. */
export interface ServiceDefinition {
  readonly name: ServiceName;
  readonly module: Type;
  /** undefined: the service stores nothing (gateway) */
  readonly database?: {
    readonly entities: readonly ((new () => object) | EntitySchema)[];
    /** the service's own; those of events and idempotency are added before them */
    readonly migrations: readonly (new () => MigrationInterface)[];
    /** columns of its tables that depend on POSTMESH_SECRET_KEYS; stored responses are added automatically */
    readonly secrets?: SecretColumns;
  };
}

/** The context in which a service starts; services of one process share it. */
export interface HostContext {
  readonly settings: Settings;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly tracing: Tracing;
  readonly bus: EventBus;
  /** undefined: the service runs no periodic task, as in a test that runs each of them itself */
  readonly jobs: Jobs | undefined;
  readonly blobs: BlobStore;
  readonly directory: ServiceDirectory;
  /** memory for request bodies */
  readonly bodyRooms: BodyRooms;
  /** of the process */
  readonly drain: Drain;
}

export interface RunningService {
  readonly name: ServiceName;
  ready(): Promise<boolean>;
  /** listens on the internal HTTP port; returns the port */
  listen(host: string, port: number): Promise<number>;
  /** a provider of the service, for composition and tests */
  get<T>(token: Type<T> | symbol): T;
  /** accepts no more work, lets running work end (bounded), closes the database */
  stop(): Promise<void>;
}
