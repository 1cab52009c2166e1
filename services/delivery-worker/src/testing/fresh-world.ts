import { createTestDatabase } from '@postmesh/testing';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { MailHost } from './mail-host.js';
import { startWorker, type WorkerParts, type WorkerUnderTest } from './worker-under-test.js';

export interface FreshWorld {
  url: string;
  /** on 127.0.0.1: the host of every destination */
  host: MailHost;
  /** a worker on the world's database; its `stop` may be called early */
  start(parts?: Partial<WorkerParts>): Promise<WorkerUnderTest>;
  /** functions to be called after the test, the last one first */
  closing: (() => Promise<unknown>)[];
}

/** For tests that need a database of their own each. Everything is closed after each test. */
export function freshWorlds(): () => Promise<FreshWorld> {
  const closing: FreshWorld['closing'] = [];
  afterEach(() => close(closing));
  return () => openWorld(closing);
}

export interface SharedWorld {
  readonly fresh: FreshWorld;
  readonly host: MailHost;
  readonly worker: WorkerUnderTest;
}

/**
 * One world and one worker for all tests of a file (or of this `describe`), which have accounts or domains of their own
 * each. Its parts exist in hooks and tests; the host is reset after each test.
 * @param start starts the worker; `fresh.closing` takes functions that are called after the last test
 */
export function sharedWorld(
  start: (fresh: FreshWorld) => Promise<WorkerUnderTest> = ({ start }) => start(),
): SharedWorld {
  const closing: FreshWorld['closing'] = [];
  const shared = {} as { -readonly [Part in keyof SharedWorld]: SharedWorld[Part] };
  beforeAll(async () => {
    shared.fresh = await openWorld(closing);
    shared.host = shared.fresh.host;
    shared.worker = await start(shared.fresh);
  });
  afterEach(() => {
    shared.host.manners = {};
    shared.host.messages.length = 0;
  });
  afterAll(() => close(closing));
  return shared;
}

async function openWorld(closing: FreshWorld['closing']): Promise<FreshWorld> {
  const { url, drop } = await createTestDatabase({ isMade: false });
  closing.push(drop);
  const host = await MailHost.start();
  closing.push(() => host.stop());
  const start = async (parts: Partial<WorkerParts> = {}) => {
    const worker = await startWorker({ databaseUrl: url, port: host.port, ...parts });
    closing.push(() => worker.stop());
    return worker;
  };
  return { url, host, start, closing };
}

async function close(closing: FreshWorld['closing']): Promise<void> {
  for (const end of closing.splice(0).reverse()) await end();
}
