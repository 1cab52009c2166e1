import { Metrics, renderTogether, snapshotMetrics } from '@postmesh/observability';
import type { PostgresWatch } from '@postmesh/database';
import type { RunningService } from '@postmesh/service-host';
import type { AcceptProcesses } from './accept-processes.js';
import type { Thread } from './thread.js';

/** What runs in this installation and how it is. */
export interface Status {
  readonly metrics: Metrics;
  addService(service: RunningService): void;
  addThread(thread: Thread): void;
  /** instead of the gateway as a service */
  addAcceptProcesses(accepting: AcceptProcesses): void;
  addPostgres(watch: PostgresWatch): void;
  /** from now on readiness may be true */
  allStarted(): void;
  readiness(): Promise<Record<string, boolean>>;
  /** false when only a start of the whole installation, or a person, can help */
  isAlive(): boolean;
  renderMetrics(): Promise<string>;
}

export function createStatus(): Status {
  const metrics = new Metrics();
  const services: RunningService[] = [];
  const threads: Thread[] = [];
  let postgres: PostgresWatch | undefined;
  let accepting: AcceptProcesses | undefined;
  let started = false;
  return {
    metrics,
    addService: (service) => void services.push(service),
    addThread: (thread) => void threads.push(thread),
    addAcceptProcesses: (given) => void (accepting = given),
    addPostgres: (watch) => {
      postgres = watch;
      observeDisk(metrics, watch);
    },
    allStarted: () => void (started = true),
    readiness: async () => {
      const ofServices = services.map(async (service) => [service.name, await service.ready()] as const);
      const ofThreads = threads.map(
        async (thread) => [thread.role, (await thread.state())?.ready ?? false] as const,
      );
      const ofAccepting = accepting ? [accepting.ready().then((ready) => ['gateway', ready] as const)] : [];
      const parts = await Promise.all([...ofServices, ...ofThreads, ...ofAccepting, ...ofPostgres(postgres)]);
      return { started, ...Object.fromEntries(parts) };
    },
    isAlive: () => !postgres?.isHopeless,
    renderMetrics: async () => {
      const accepted = accepting?.snapshots();
      const states = await Promise.all(threads.map((thread) => thread.state()));
      const snapshots = states.filter((state) => state !== undefined).map((state) => state.metrics);
      return renderTogether([await snapshotMetrics(metrics), ...snapshots, ...((await accepted) ?? [])]);
    },
  };
}

function observeDisk(metrics: Metrics, watch: PostgresWatch): void {
  metrics.asked(
    () => watch.freeBytes(),
    [
      {
        name: 'postmesh_embedded_disk_free_bytes',
        help: 'What the embedded PostgreSQL may still write to its disk',
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
