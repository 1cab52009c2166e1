import { parentPort } from 'node:worker_threads';
import { DELIVERY_WORKER_SERVICE } from '@postmesh/delivery-worker';
import { Metrics, snapshotMetrics } from '@postmesh/observability';
import { createHostContext, startService } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import type { FromThread, ToThread } from './delivery-thread.js';

if (!parentPort) throw new Error('this file is the main of a thread');
const port = parentPort;
const say = (message: FromThread) => port.postMessage(message);

const settings = await settingsGiven();
const metrics = new Metrics({ defaults: false });
const context = await createHostContext(settings, 'delivery-worker', { metrics });
const service = await startService(DELIVERY_WORKER_SERVICE, context);

port.on('message', (message: ToThread) => {
  if (message.kind === 'stop') void stop().finally(() => process.exit(0));
  else if (message.kind === 'state') void sayState(message.question);
});
say({ kind: 'started', port: await service.listen('127.0.0.1', 0) });

function settingsGiven(): Promise<Settings> {
  return new Promise((resolve) =>
    port.once('message', (message: ToThread) => {
      if (message.kind === 'start') resolve(message.settings);
    }),
  );
}

async function sayState(question: number): Promise<void> {
  say({ kind: 'state', question, ready: await service.ready(), metrics: await snapshotMetrics(metrics) });
}

async function stop(): Promise<void> {
  await service.stop();
  await context.close();
}
