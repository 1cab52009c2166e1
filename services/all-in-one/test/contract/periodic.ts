import { createPostgresBackend, Queue, type IQueueBackend } from 'bullmq';
import pg from 'pg';
import { expect } from 'vitest';

type Tasks = Queue<unknown, void, string, unknown, void, string, IQueueBackend, object>;

/** Makes the next run of a periodic task due now. Every row that is due before the call is found by a run after it. */
export async function runPeriodic(databaseUrl: string, service: string, name: string): Promise<void> {
  const connection = new pg.Pool({ connectionString: databaseUrl, options: '-c search_path=bullmq', max: 2 });
  const queue: Tasks = new Queue(`postmesh.${service}`, { connection: {} }, (of, options, use) =>
    createPostgresBackend(of, { ...options, connection }, use),
  );
  const isOfTask = (job: { name: string }) => job.name === name;
  try {
    // a run that has begun may have looked already, and leaves no other one next to it
    await expect.poll(async () => (await queue.getActive()).some(isOfTask)).toBe(false);
    await (await queue.getDelayed()).find(isOfTask)?.promote();
  } finally {
    await queue.close();
    await connection.end();
  }
}
