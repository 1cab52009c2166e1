import { createLogger, Metrics } from '@postmesh/observability';
import { loadSettings } from '@postmesh/settings';
import { createHostContext } from '../host-context.js';

/** Context of a process named `test`, with default settings: no log, three connections, and metrics of its own. */
export const createTestContext = (databaseUrl: string) =>
  createHostContext(
    {
      ...loadSettings({}),
      databaseUrl,
      secretKeys: ['a-secret-for-tests-that-is-long-enough'],
      databasePoolSize: 3,
    },
    'test',
    { logger: createLogger({ logLevel: 'silent' }, 'test'), metrics: new Metrics({ defaults: false }) },
  );
