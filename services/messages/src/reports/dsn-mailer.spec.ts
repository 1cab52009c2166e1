import { setImmediate as nextTurn } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { expect, it, vi } from 'vitest';
import type { PeriodicTasks } from '@postmesh/work';
import { createLogger, Metrics } from '@postmesh/observability';
import { DsnMailer } from './dsn-mailer.js';

const logger = createLogger({ logLevel: 'silent' }, 'test');

it.each([
  ['a process with periodic work runs the mailer', true, 1],
  ['a process without periodic work does not', false, 0],
])('when a report is due, %s', async (_, areHere, looks) => {
  const database = new DataSource({ type: 'postgres' });
  const query = vi.spyOn(database, 'query').mockResolvedValue([]);
  const none = {} as never;
  const tasks = { areHere } as PeriodicTasks;
  const mailer = new DsnMailer(database, none, none, none, tasks, logger, new Metrics({ defaults: false }));
  mailer.wake();
  await nextTurn();
  await mailer.beforeApplicationShutdown();
  expect(query).toHaveBeenCalledTimes(looks);
});
