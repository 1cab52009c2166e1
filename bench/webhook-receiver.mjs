// @ts-check
// The child of webhooks-run.mjs: a receiver of webhook calls that records their times, and hosts that never reply.
import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { nowMicros } from '../tools/processes.mjs';
import { serveJobs } from './workers.mjs';

/** Header `webhook-id` → microseconds of its first call. @type {Map<string, number>} */
const came = new Map();
let calls = 0;

const server = createServer((request, response) => {
  request.resume();
  request.once('end', () => {
    calls += 1;
    const id = String(request.headers['webhook-id']);
    if (!came.has(id)) came.set(id, nowMicros());
    response.end();
  });
});
const listen = (/** @type {import('node:net').Server} */ listener) =>
  new Promise((resolve) =>
    listener.listen(0, '127.0.0.1', () => resolve(/** @type {any} */ (listener.address()).port)),
  );

serveJobs({
  start: () => listen(server),
  silent: async ({ hosts }) =>
    Promise.all(
      Array.from({ length: hosts }, () =>
        listen(createTcpServer((socket) => socket.resume().on('error', () => {}))),
      ),
    ),
  counts: () => ({ events: came.size, calls }),
  /** Returns the recorded calls and drops them. */
  take: () => {
    const taken = Object.fromEntries(came);
    came.clear();
    calls = 0;
    return taken;
  },
});
