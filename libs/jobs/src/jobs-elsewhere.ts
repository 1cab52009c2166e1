import type { Logger } from '@postmesh/observability';
import type { JobBackend } from './backends.js';
import { Jobs } from './jobs.js';

/** Nothing is put into it, so nothing is kept. */
const NO_BACKEND: JobBackend = {
  kind: 'database',
  factory: () => {
    throw new Error('this process has no jobs');
  },
  idleSeconds: 30,
  rearmMs: 600_000,
  ping: async () => undefined,
  exclusively: (_key, work) => work(),
  close: async () => undefined,
};

/**
 * The jobs of a process that only serves requests: another process of the installation, which is always there, does the
 * periodic work of its services. Has no connections.
 */
export class JobsElsewhere extends Jobs {
  override readonly areHere = false;

  constructor(logger: Logger) {
    super(NO_BACKEND, { backend: { postgresUrl: '' }, prefix: '', logger });
  }

  override async repeat(): Promise<void> {}

  override async cancel(): Promise<void> {}
}
