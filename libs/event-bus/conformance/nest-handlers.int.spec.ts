import 'reflect-metadata';
import {
  Controller,
  Injectable,
  Module,
  type INestApplication,
  type OnModuleInit,
  type Type,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Permanent, Transient, type EventEnvelope } from '@postmesh/contracts';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  BusContext,
  BusTransportStrategy,
  connectEventBus,
  createEmbeddedBus,
  OnEvent,
  type EventBus,
} from '../src/index.js';
import { fact, facts, numberOf } from './facts.js';
import { Diary } from './listener.js';
import { anyPostgres, newDatabase, type TestServer } from './postgres.js';

let server: TestServer;
let database: { url: string; drop: () => Promise<void> };
let bus: EventBus;
let app: INestApplication | undefined;

beforeAll(async () => {
  server = await anyPostgres();
});
afterAll(() => server.stop());
beforeEach(async () => {
  database = await newDatabase(server.url);
  bus = await createEmbeddedBus({ url: database.url });
});
afterEach(async () => {
  await app?.close();
  app = undefined;
  await bus.close();
  await database.drop();
});

interface Counted {
  ignored: [string, number][];
  buried: string[];
  redelivered: string[];
}

async function start(controller: Type): Promise<{ strategy: BusTransportStrategy; counted: Counted }> {
  @Module({ controllers: [controller], providers: [Book] })
  class ServiceModule {}
  const counted: Counted = { ignored: [], buried: [], redelivered: [] };
  const strategy = new BusTransportStrategy({
    bus,
    group: 'service',
    streams: ['messages'],
    observer: {
      ignored: (pattern, events) => counted.ignored.push([pattern, events]),
      buried: (pattern, kind) => counted.buried.push(`${pattern} ${kind}`),
      redelivered: (kind) => counted.redelivered.push(kind),
    },
  });
  app = await NestFactory.create(ServiceModule, new FastifyAdapter(), { logger: false, abortOnError: false });
  await app.init();
  book = app.get(Book);
  connectEventBus(app, strategy);
  await app.startAllMicroservices();
  return { strategy, counted };
}

let book: Book;

/** What the handlers of the last application wrote down. */
@Injectable()
class Book implements OnModuleInit {
  readonly diary = new Diary();
  readonly contexts: string[] = [];
  starts = 0;
  unwell = 2;

  onModuleInit(): void {
    this.starts += 1;
  }
}

@Controller()
class ThingsController {
  constructor(private readonly notes: Book) {}

  @OnEvent({ pattern: 'thing-happened.v1' })
  onThing(@Payload() events: readonly EventEnvelope[], @Ctx() context: BusContext): void {
    this.notes.contexts.push(`${context.group} ${context.pattern}`);
    if (events.some((event) => numberOf(event) === 13)) throw new Permanent('thirteen is refused');
    if (this.notes.unwell-- > 0) throw new Transient('the database restarts');
    this.notes.diary.write(events);
  }
}

test('a handler gets its events as one array, and failures keep their kind through Nest', async () => {
  const { strategy, counted } = await start(ThingsController);
  const all = Array.from({ length: 20 }, (_, n) => fact(`key-${n}`, n));
  await bus.publish([...all, ...[1, 2, 3].map((n) => fact('other', n, { type: 'unheard' }))]);
  await book.diary.until((diary) => diary.distinct() >= all.length - 1);
  await expect.poll(() => counted.buried).toEqual(['thing-happened.v1 permanent']);

  expect(counted.redelivered.every((kind) => kind === 'transient')).toBe(true);
  expect(counted.redelivered.length).toBeGreaterThan(0);
  expect(new Set(book.contexts)).toEqual(new Set(['service thing-happened.v1']));
  expect(counted.ignored.reduce((sum, [, events]) => sum + events, 0)).toBeGreaterThanOrEqual(3);
  expect(await bus.readDead({ stream: 'messages', group: 'service', limit: 5 })).toMatchObject([
    { kind: 'permanent', reason: expect.stringContaining('thirteen is refused') },
  ]);
  expect(strategy.ready()).toBe(true);
  expect(book.starts).toBe(1);
});

test('closing the application leaves the group, and the bus lives on', async () => {
  const { strategy } = await start(ThingsController);
  await app?.close();
  expect(strategy.ready()).toBe(false);
  expect(bus.ready()).toBe(true);
  await bus.publish(facts(1, 1));
});

test('two handlers of one event are refused at start', async () => {
  @Controller()
  class Twice {
    @OnEvent({ pattern: 'thing-happened.v1' })
    one(): void {}

    @OnEvent({ pattern: 'thing-happened.v1' })
    two(): void {}
  }
  await expect(start(Twice)).rejects.toThrow(/one handler/);
});

test('a handler that waits for requests is refused at start', async () => {
  @Controller()
  class Asked {
    @MessagePattern('thing-happened.v1')
    answer(): string {
      return 'never';
    }
  }
  await expect(start(Asked)).rejects.toThrow(/not requests/);
});

test('a service that handles nothing joins no group', async () => {
  @Controller()
  class Deaf {}
  const { strategy } = await start(Deaf);
  expect(strategy.ready()).toBe(true);
  expect(await bus.lag()).toEqual([]);
});
