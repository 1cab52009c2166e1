// @ts-check
// The pool of a simulated process.
import { DataSource } from 'typeorm';
import { retryTransient } from '../../libs/database/dist/index.js';
import { createLogger } from '../../libs/observability/dist/index.js';
import { SimulatedClient } from './sessions.mjs';

const LOGGER = createLogger(/** @type {any} */ ({ logLevel: 'silent' }), 'simulate');

/** As `openDatabase` does it, without migrations. @param {string} schema @param {any[]} [entities] */
export async function openSource(schema, entities = []) {
  const source = new DataSource({
    type: 'postgres',
    schema,
    entities,
    synchronize: false,
    installExtensions: false,
    logging: false,
    poolSize: 4,
    connectTimeoutMS: 10_000,
    extra: { idleTimeoutMillis: 120_000, Client: SimulatedClient },
    poolErrorHandler: () => undefined,
  });
  // facts that the driver asks the server for at its first connection
  Object.assign(source.driver, { version: '18.0', database: 'postgres', searchSchema: schema });
  return retryTransient(() => source.initialize(), { what: schema, logger: LOGGER });
}
