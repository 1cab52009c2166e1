import { parentPort, workerData } from 'node:worker_threads';
import type { Settings } from '@postmesh/settings';
import { servePart, type PartQuestion } from './part.js';
import type { ThreadInput, ThreadMessage } from './thread.js';

if (!parentPort) throw new Error('this file is the main of a thread');
const port = parentPort;
const input = workerData as ThreadInput;
const say = (message: ThreadMessage) => port.postMessage(message);

// Loaded when it is known which: what the other needs would cost each thread half a second.
const { startPart } = await (input.role === 'delivery-worker'
  ? import('./delivery-worker-part.js')
  : import('./local-internet-part.js'));
const part = await startPart(await settingsGiven());

port.on('message', (question: PartQuestion) => servePart(part, question, say));
say({ kind: 'ready', facts: part.facts });

function settingsGiven(): Promise<Settings> {
  return new Promise((resolve) =>
    port.once('message', (question: PartQuestion) => {
      if (question.kind === 'start') resolve(question.settings);
    }),
  );
}
