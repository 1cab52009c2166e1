// @ts-check
// In the place of modules of Node and others that a module of ours imports (`module-hooks.mjs`).
import pg from 'pg';
import { simulatedClass } from './simulated-clients.mjs';

export default { ...pg, Client: simulatedClass(pg.Client) };

/** As in `node:timers/promises`. @param {number} ms */
export const setTimeout = (ms) => new Promise((resolve) => globalThis.setTimeout(resolve, ms));

/** Between the threads of a process: a simulated one has no others. */
export class BroadcastChannel {
  onmessage = undefined;
  postMessage() {}
  close() {}
  unref() {}
}
