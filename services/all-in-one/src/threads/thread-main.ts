import { parentPort, workerData } from 'node:worker_threads';
import { snapshotMetrics } from '@postmesh/observability';
import { startDeliveryWorker } from './delivery-worker.thread.js';
import { startLocalInternetThread } from './local-internet.thread.js';
import type { ThreadInput, ThreadMessage, ThreadQuestion } from './thread.js';
import type { ThreadPart } from './thread-part.js';

if (!parentPort) throw new Error('this file is the main of a thread');
const port = parentPort;
const input = workerData as ThreadInput;
const say = (message: ThreadMessage) => port.postMessage(message);

const part: ThreadPart =
  input.role === 'delivery-worker'
    ? await startDeliveryWorker(input.settings)
    : await startLocalInternetThread(input.settings);

port.on('message', (question: ThreadQuestion) => {
  if (question.kind === 'stop') void part.stop().finally(() => process.exit(0));
  else void response(question.question);
});
say({ kind: 'ready', facts: part.facts });

async function response(question: number): Promise<void> {
  say({ kind: 'state', question, ready: await part.ready(), metrics: await snapshotMetrics(part.metrics) });
}
