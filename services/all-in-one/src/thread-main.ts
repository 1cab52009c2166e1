import { parentPort, workerData } from 'node:worker_threads';
import { snapshotMetrics, type Metrics } from '@postmesh/observability';
import type { Settings } from '@postmesh/settings';
import type { ThreadInput, ThreadMessage, ThreadQuestion } from './thread.js';

if (!parentPort) throw new Error('this file is the main of a thread');
const port = parentPort;
const input = workerData as ThreadInput;
const say = (message: ThreadMessage) => port.postMessage(message);

/** What runs in a thread. */
export interface ThreadPart {
  facts: Record<string, string | number>;
  metrics: Metrics;
  ready(): Promise<boolean>;
  useMxPort?(port: number): void;
  stop(): Promise<void>;
}

// Loaded when it is known which: what the other needs would cost each thread half a second.
const { startPart } = await (input.role === 'delivery-worker'
  ? import('./delivery-worker-part.js')
  : import('./local-internet-part.js'));
const part = await startPart(await settingsGiven());

port.on('message', (message: ThreadQuestion) => {
  if (message.kind === 'stop') void part.stop().finally(() => process.exit(0));
  else if (message.kind === 'mx-port') part.useMxPort?.(message.port);
  else if (message.kind === 'state') void sayState(message.question);
});
say({ kind: 'ready', facts: part.facts });

function settingsGiven(): Promise<Settings> {
  return new Promise((resolve) =>
    port.once('message', (message: ThreadQuestion) => {
      if (message.kind === 'start') resolve(message.settings);
    }),
  );
}

async function sayState(question: number): Promise<void> {
  say({ kind: 'state', question, ready: await part.ready(), metrics: await snapshotMetrics(part.metrics) });
}
