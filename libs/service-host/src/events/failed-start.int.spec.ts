import { Controller, Module, type OnModuleDestroy } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { schemaOf, type EventOf } from '@postmesh/contracts';
import { testDatabase } from '@postmesh/testing';
import { Consumes, startService, type HostContext, type ServiceDefinition } from '../index.js';
import { declaredConsumers } from './consumes.decorator.js';
import { createTestContext } from '../testing/test-context.js';
import { AccountChanged } from '../testing/sample-events.js';

let destroyed = 0;

@Controller()
class OnAccountChanged implements OnModuleDestroy {
  @Consumes(AccountChanged, 'webhooks.sample')
  async handle(@Payload() _events: EventOf<typeof AccountChanged>[]): Promise<void> {
    return undefined;
  }

  onModuleDestroy(): void {
    destroyed += 1;
  }
}

@Module({ controllers: [OnAccountChanged] })
class SampleModule {}

const SAMPLE: ServiceDefinition = {
  name: 'webhooks',
  module: SampleModule,
  database: { entities: [], migrations: [] },
};

@Module({
  imports: [SampleModule],
  providers: [
    {
      provide: 'broken',
      inject: [DataSource],
      useFactory: async (dataSource: DataSource) => {
        await dataSource.query('select 1');
        throw new Error('cannot be made');
      },
    },
  ],
})
class BrokenModule {}

const database = testDatabase();
let context: Awaited<ReturnType<typeof createTestContext>>;

beforeAll(async () => {
  context = await createTestContext(database.url);
});
// the process may load further test files, with consumers of this service, too
afterAll(() => declaredConsumers.clear());
afterAll(() => context?.close());

it('stops the started parts when the last step of a start fails', async () => {
  const metrics = Object.create(context.metrics) as HostContext['metrics'];
  // after the start of the consumers and of the periodic tasks
  metrics.asked = () => {
    throw new Error('no metrics');
  };
  await expect(startService(SAMPLE, { ...context, metrics })).rejects.toThrow('no metrics');
  expect(destroyed).toBe(1);
  expect(context.directory.findLocal('webhooks')).toBeUndefined();

  const client = new pg.Client(database.url);
  await client.connect();
  const runs = await client.query(`select from ${schemaOf('webhooks')}.consumer_runs`);
  // the liveness lock, and the reader of the group
  const sessions = async () => {
    const { rows } = await client.query(
      `select application_name from pg_stat_activity where datname = current_database()
         and application_name in ('postmesh-webhooks-mark', 'postmesh-bus-webhooks')`,
    );
    return rows;
  };
  expect(runs.rows).toEqual([]);
  await expect.poll(sessions).toEqual([]);
  await client.end();
});

it('closes the database when the modules of the service cannot be created', async () => {
  const broken = { ...SAMPLE, module: BrokenModule };
  await expect(startService(broken, context)).rejects.toThrow('cannot be made');
  const client = new pg.Client(database.url);
  await client.connect();
  const sessions = async () => {
    const { rows } = await client.query(
      `select application_name from pg_stat_activity where datname = current_database()
         and application_name = 'postmesh-webhooks'`,
    );
    return rows;
  };
  await expect.poll(sessions, { timeout: 5_000 }).toEqual([]);
  await client.end();
});
