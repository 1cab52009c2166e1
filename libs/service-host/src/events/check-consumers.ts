import type { MessageHandler } from '@nestjs/microservices';
import type { ServiceName } from '@postmesh/contracts';
import { declaredConsumers, type DeclaredConsumer } from './consumes.decorator.js';

/** A consumer with the handler that Nest made of its method. */
export interface BoundConsumer extends DeclaredConsumer {
  readonly handler: MessageHandler;
}

/**
 * The consumers of one service, from the handlers that Nest registered for its controllers.
 * @param handlers by pattern; further handlers of one pattern are chained by `next`
 * @param declared what the loaded classes declare, of any service
 * @throws Error that names class and event when one of them could never run, or two would run for one event
 */
export function checkConsumers(
  service: ServiceName,
  handlers: ReadonlyMap<string, MessageHandler>,
  declared: Iterable<DeclaredConsumer> = declaredConsumers,
): BoundConsumer[] {
  const bound = [...handlers].flatMap(([pattern, first]) => chained(first).map((one) => bind(pattern, one)));
  const own = [...declared].filter(
    (one) => isOf(service, one.name) || bound.some(({ consumer }) => consumer === one),
  );
  const found = own.map((one) => ({
    ...one,
    handlers: bound.filter(({ consumer }) => consumer === one).map(({ handler }) => handler),
  }));
  for (const one of found) checkOne(one, service);
  checkDoubles(found, ({ event }) => event.pattern, 'a service has one consumer for an event');
  checkDoubles(found, ({ name }) => name, 'the name is used twice');
  return found.map(({ handlers: [handler], ...consumer }) => ({
    ...consumer,
    handler: handler as MessageHandler,
  }));
}

function chained(first: MessageHandler): MessageHandler[] {
  const all: MessageHandler[] = [];
  for (let one: MessageHandler | undefined = first; one; one = one.next) all.push(one);
  return all;
}

function bind(
  pattern: string,
  handler: MessageHandler,
): { consumer: DeclaredConsumer; handler: MessageHandler } {
  const consumer = handler.extras?.['consumer'] as DeclaredConsumer | undefined;
  if (!consumer) throw new Error(`${pattern}: events are consumed by @Consumes, not by another pattern`);
  return { consumer, handler };
}

const isOf = (service: ServiceName, consumer: string): boolean => consumer.startsWith(`${service}.`);

function checkOne(consumer: DeclaredConsumer & { handlers: unknown[] }, service: ServiceName): void {
  const { name, method, handlers } = consumer;
  if (!isOf(service, name)) refuse(consumer, `the name must begin with ${service}.`);
  if (method !== 'handle') refuse(consumer, `the method is called ${method}, not handle`);
  if (handlers.length === 0) refuse(consumer, 'no module has the class among its controllers');
  if (handlers.length > 1)
    refuse(consumer, `${handlers.length} modules have the class among their controllers`);
}

function checkDoubles(
  all: readonly DeclaredConsumer[],
  by: (one: DeclaredConsumer) => string,
  problem: string,
): void {
  const first = new Map<string, DeclaredConsumer>();
  for (const consumer of all) {
    const other = first.get(by(consumer));
    if (other) refuse(consumer, `${problem}; ${other.declaredBy.name} has it`);
    first.set(by(consumer), consumer);
  }
}

function refuse({ declaredBy, event, name }: DeclaredConsumer, problem: string): never {
  throw new Error(`${declaredBy.name} (${event.pattern}, ${name}): ${problem}`);
}
