import { createLogger, Metrics } from '@postmesh/observability';
import { loadSettings } from '@postmesh/settings';
import { createHostContext } from '../host-context.js';

/** A process that is called `test`, with default settings: silent, three connections, and metrics of its own. */
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
