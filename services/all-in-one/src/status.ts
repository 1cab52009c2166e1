import { Metrics, renderTogether, snapshotMetrics } from '@postmesh/observability';
import type { PostgresWatch } from '@postmesh/database';
import type { RunningService } from '@postmesh/service-host';
import type { DeliveryThread } from './delivery-thread.js';

/** The parts of this process and their health. */
export interface Status {
  readonly metrics: Metrics;
  addService(service: RunningService): void;
  addDelivery(thread: DeliveryThread): void;
  addPostgres(watch: PostgresWatch): void;
  /** readiness may be true from now on */
  allStarted(): void;
  readiness(): Promise<Record<string, boolean>>;
  /** false when only a restart of the whole installation, or a person, can help */
  isAlive(): boolean;
  renderMetrics(): Promise<string>;
}

export function createStatus(): Status {
  const metrics = new Metrics();
  const services: RunningService[] = [];
  let delivery: DeliveryThread | undefined;
  let postgres: PostgresWatch | undefined;
  let started = false;
  return {
    metrics,
    addService: (service) => void services.push(service),
    addDelivery: (thread) => void (delivery = thread),
    addPostgres: (watch) => {
      postgres = watch;
      observeDisk(metrics, watch);
    },
    allStarted: () => void (started = true),
    readiness: async () => {
      const ofServices = services.map(async (service) => [service.name, await service.ready()] as const);
      const parts = [...ofServices, ...ofDelivery(delivery), ...ofPostgres(postgres)];
      return { started, ...Object.fromEntries(await Promise.all(parts)) };
    },
    isAlive: () => !postgres?.isHopeless,
    renderMetrics: async () => {
      const state = await delivery?.state();
      return renderTogether([await snapshotMetrics(metrics), ...(state ? [state.metrics] : [])]);
    },
  };
}

function observeDisk(metrics: Metrics, watch: PostgresWatch): void {
  metrics.asked(
    () => watch.freeBytes(),
    [
      {
        name: 'postmesh_embedded_disk_free_bytes',
        help: 'Bytes that the embedded PostgreSQL may still write to its disk',
        read: (bytes) => bytes,
      },
    ],
  );
}

function ofPostgres(watch: PostgresWatch | undefined): Promise<readonly [string, boolean]>[] {
  if (!watch) return [];
  const disk = watch.hasSpace().catch(() => false);
  return [
    Promise.resolve(['postgres', watch.isRunning]),
    disk.then((hasSpace) => ['disk', hasSpace] as const),
  ];
}

const ofDelivery = (thread: DeliveryThread | undefined): Promise<readonly [string, boolean]>[] =>
  thread ? [thread.state().then((state) => ['delivery-worker', state?.ready ?? false] as const)] : [];
