import { DELIVERY_WORKER_SERVICE } from '@postmesh/delivery-worker';
import { Metrics } from '@postmesh/observability';
import { createHostContext, startService } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import type { ThreadPart } from './part.js';

export async function startPart(settings: Settings): Promise<ThreadPart> {
  const metrics = new Metrics({ defaults: false });
  const context = await createHostContext(settings, 'delivery-worker', { metrics });
  const service = await startService(DELIVERY_WORKER_SERVICE, context);
  // the operator interface asks this service over HTTP, as it would in production
  const port = await service.listen('127.0.0.1', 0);
  return {
    facts: { port },
    metrics,
    ready: () => service.ready(),
    stop: async () => {
      await service.stop();
      await context.close();
    },
  };
}
