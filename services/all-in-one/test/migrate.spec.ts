import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { testDatabase } from '@postmesh/testing';
import { DataSource } from 'typeorm';
import { expect, test } from 'vitest';

const database = testDatabase();
const run = promisify(execFile);
const MIGRATE = join(import.meta.dirname, '../dist/migrate.js');

/** Runs the command of the chart's hook (deploy/helm/postmesh/templates/migrate.yaml) with its few variables. */
const migrate = (...services: string[]) =>
  run(process.execPath, [MIGRATE, ...services], {
    env: { PATH: process.env['PATH'], DATABASE_URL: database.url },
  });

async function schemas(): Promise<string[]> {
  const source = await new DataSource({ type: 'postgres', url: database.url }).initialize();
  const rows = await source.query<{ name: string }[]>(
    `select table_schema as name from information_schema.tables where table_name = 'migrations' order by name`,
  );
  await source.destroy();
  return rows.map(({ name }) => name);
}

test('migrations of some services, then of all, twice at once, without starting one', async () => {
  expect((await migrate('accounts', 'domains')).stdout).toBe('migrated accounts domains\n');
  expect(await schemas()).toEqual(expect.arrayContaining(['accounts', 'domains']));
  expect(await schemas()).not.toContain('messages');
  const [one, other] = await Promise.all([migrate(), migrate()]);
  expect(one.stdout).toBe(other.stdout);
  expect(await schemas()).toEqual(
    expect.arrayContaining(['delivery_worker', 'marketing', 'messages', 'webhook_dispatcher', 'webhooks']),
  );
  await expect(migrate('acounts')).rejects.toThrow("there is no service 'acounts'");
});
