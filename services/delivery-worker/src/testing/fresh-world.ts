import { createTestDatabase } from '@postmesh/testing';
import { afterEach } from 'vitest';
import { MailHost } from './mail-host.js';
import { startWorker, type WorkerParts, type WorkerUnderTest } from './worker-under-test.js';

export interface FreshWorld {
  url: string;
  /** on 127.0.0.1: where every destination leads */
  host: MailHost;
  /** a worker on the world's database; its `stop` may be called early */
  start(parts?: Partial<WorkerParts>): Promise<WorkerUnderTest>;
  /** what is to be closed after the test, the last one first */
  closing: (() => Promise<unknown>)[];
}

/** For tests that need a database of their own each. Everything is closed after each test. */
export function freshWorlds(): () => Promise<FreshWorld> {
  const closing: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });
  return async () => {
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
  };
}
