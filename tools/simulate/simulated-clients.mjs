// @ts-check
// In the place of libs/database/src/timed-client.ts: a session of a simulated process that is outside of any pool.
import pg from 'pg';
import { SimulatedClient } from './sessions.mjs';
import { currentOwner } from './virtual-time.mjs';

export const KEEP_ALIVE = {};
export const SERVER_KEEPALIVE = '';

/** The client that is made depends on its maker: a class may be made before its processes. @param {any} base */
export const simulatedClass = (base) =>
  new Proxy(base, {
    construct: (target, args, newTarget) =>
      currentOwner() ? new SimulatedClient() : Reflect.construct(target, args, newTarget),
  });

/** @param {number} _ms @param {any} [base] */
export const timedClient = (_ms, base = pg.Client) => simulatedClass(base);
