import {
  Controller,
  Module,
  UseInterceptors,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import {
  newId,
  Permanent,
  Transient,
  type AccountId,
  type EventEnvelope,
  type EventOf,
} from '@postmesh/contracts';
import { Outbox } from '@postmesh/events';
import { testDatabase } from '@postmesh/testing';
import { map } from 'rxjs';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  Consumes,
  EventContext,
  startService,
  type RunningService,
  type ServiceDefinition,
} from '../index.js';
import { declaredConsumers } from './consumes.decorator.js';
import { createTestContext } from '../testing/test-context.js';
import { AccountChanged, DomainChanged } from '../testing/sample-events.js';

type Changed = EventOf<typeof AccountChanged>;

interface Call {
  events: readonly EventEnvelope[];
  /** of its transaction */
  xid: string;
}

let calls: Call[] = [];
let afterwards: string[] = [];
/** the error that the consumer throws after its write */
let fault: (events: Changed[]) => Error | undefined = () => undefined;

@Controller()
class OnAccountChanged {
  @Consumes(AccountChanged, 'webhooks.sample')
  async handle(@Payload() events: Changed[], @Ctx() { tx, afterCommit }: EventContext): Promise<void> {
    const [{ xid } = { xid: '' }]: { xid: string }[] = await tx.query(
      'select pg_current_xact_id()::text xid',
    );
    calls.push({ events, xid });
    afterCommit(() => afterwards.push(`first ${xid}`));
    afterCommit(() => afterwards.push(`second ${xid}`));
    const error = fault(events);
    if (error) throw error;
  }
}

let intercepted: unknown[] = [];

class Watching implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler) {
    const [events, about] = [
      context.switchToRpc().getData<object[]>(),
      context.switchToRpc().getContext<object>(),
    ];
    intercepted.push([context.getType(), events.length, about instanceof EventContext]);
    return next.handle().pipe(map((value: unknown) => value));
  }
}

@Controller()
@UseInterceptors(Watching)
class OnDomainChanged {
  @Consumes(DomainChanged, 'webhooks.watched')
  async handle(
    @Payload() _events: EventOf<typeof DomainChanged>[],
    @Ctx() { afterCommit }: EventContext,
  ): Promise<void> {
    afterCommit(() => afterwards.push('watched'));
  }
}

@Module({ controllers: [OnAccountChanged, OnDomainChanged] })
class SampleModule {}

const SAMPLE: ServiceDefinition = {
  name: 'webhooks',
  module: SampleModule,
  database: { entities: [], migrations: [] },
};

const database = testDatabase();
let context: Awaited<ReturnType<typeof createTestContext>>;
let service: RunningService;

beforeAll(async () => {
  context = await createTestContext(database.url);
  service = await startService(SAMPLE, context);
});
afterAll(() => declaredConsumers.clear());
afterAll(async () => {
  await service?.stop();
  await context?.close();
});
beforeEach(async () => {
  [calls, afterwards, intercepted, fault] = [[], [], [], () => undefined];
  await service.get(DataSource).query('delete from dead_letters');
});

const changed = (revision: number, account_id = newId() as AccountId) =>
  AccountChanged.make({ account_id, parent_account_id: null, state: 'active', revision }, { account_id });

const publish = (...events: EventEnvelope[]) =>
  service.get(DataSource).transaction((tx) => service.get(Outbox).add(tx, events));

const deadLetters = (): Promise<object[]> =>
  service.get(DataSource).query('select consumer, kind, reason from dead_letters order by id');

describe('the transport of events', () => {
  it('gives the events of one batch to one call, in one transaction', async () => {
    await publish(changed(1), changed(2), changed(3));
    await expect.poll(() => calls.length).toBe(1);
    expect(calls[0]?.events.map(({ data }) => (data as Changed['data']).revision)).toEqual([1, 2, 3]);
  });

  it('runs the callbacks of a consumer after its commit, in order', async () => {
    await publish(changed(1));
    await expect.poll(() => afterwards).toHaveLength(2);
    const xid = calls[0]?.xid;
    expect(afterwards).toEqual([`first ${xid}`, `second ${xid}`]);
    const [row] = await service.get(DataSource).query('select pg_xact_status($1::xid8) status', [xid]);
    expect(row).toEqual({ status: 'committed' });
  });

  it.each([
    ['permanent', new Permanent('no such account'), 'no such account'],
    ['bug', new TypeError('x is not a function'), 'x is not a function'],
  ])('keeps the kind of an error and its message: %s', async (kind, error, words) => {
    fault = () => error;
    await publish(changed(1));
    await expect.poll(deadLetters).toHaveLength(1);
    const reason = expect.stringContaining(words) as string;
    expect(await deadLetters()).toEqual([{ consumer: 'webhooks.sample', kind, reason }]);
    expect(afterwards).toEqual([]);
  });

  it('has the events delivered again after a transient error', async () => {
    fault = () => (calls.length === 1 ? new Transient('the database restarts') : undefined);
    const event = changed(1);
    await publish(event);
    await expect.poll(() => afterwards).toHaveLength(2);
    expect(calls.map(({ events }) => events.map(({ id }) => id))).toEqual([[event.id], [event.id]]);
    expect(calls[0]?.xid).not.toBe(calls[1]?.xid);
    expect(await deadLetters()).toEqual([]);
  });

  it('runs the interceptors of a controller, and none of those that serve HTTP', async () => {
    await publish(
      DomainChanged.make(DomainChanged.examples[0] as never, { account_id: newId() as AccountId }),
    );
    await expect.poll(() => afterwards).toEqual(['watched']);
    expect(intercepted).toEqual([['rpc', 1, true]]);
  });
});
