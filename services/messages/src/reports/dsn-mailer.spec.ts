import { setImmediate as nextTurn } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { expect, it, vi } from 'vitest';
import { JobsElsewhere, type Jobs } from '@postmesh/jobs';
import { createLogger, Metrics } from '@postmesh/observability';
import { DsnMailer } from './dsn-mailer.js';

const logger = createLogger({ logLevel: 'silent' }, 'test');

it.each([
  ['the process that has the periodic work looks', { areHere: true } as Jobs, 1],
  ['one that only serves requests does not', new JobsElsewhere(logger), 0],
])('when a report is due, %s', async (_, jobs, looks) => {
  const database = new DataSource({ type: 'postgres' });
  const query = vi.spyOn(database, 'query').mockResolvedValue([]);
  const none = {} as never;
  const mailer = new DsnMailer(database, none, none, none, jobs, logger, new Metrics({ defaults: false }));
  mailer.wake();
  await nextTurn();
  await mailer.beforeApplicationShutdown();
  expect(query).toHaveBeenCalledTimes(looks);
});
