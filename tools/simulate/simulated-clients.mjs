// @ts-check
// In the place of libs/database/src/timed-client.ts: a session of a simulated process that is outside of any pool.
import pg from 'pg';
import { SimulatedClient } from './sessions.mjs';
import { currentOwner } from './virtual-time.mjs';

export const KEEP_ALIVE = {};
export const SERVER_KEEPALIVE = '';

/** @param {number} _ms @param {any} [base] */
export const timedClient = (_ms, base = pg.Client) => (currentOwner() ? SimulatedClient : base);
