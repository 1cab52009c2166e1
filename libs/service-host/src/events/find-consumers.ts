import type { ModulesContainer } from '@nestjs/core';
import { EVENTS, type ServiceName } from '@postmesh/contracts';
import type { ConsumerEntry } from '@postmesh/outbox';
import {
  declaredConsumers,
  type AnyEvent,
  type Consumer,
  type ConsumerRegistry,
  type DeclaredConsumer,
} from './consumes.decorator.js';

interface Declaration extends DeclaredConsumer {
  declaredBy: { name: string };
}

/**
 * The consumers of one service, from the providers of its modules.
 * @throws Error that names class and event when one of them could never run, or two would run for one event
 */
export function findConsumers(
  modules: ModulesContainer,
  service: ServiceName,
  registry: ConsumerRegistry = declaredConsumers,
): ConsumerEntry[] {
  const instances = instancesByClass(modules, registry);
  const own = declarations(registry).filter(
    ({ name, declaredBy }) => isOf(service, name) || instances.has(declaredBy),
  );
  for (const declaration of own) checkOne(declaration, service, instances);
  checkDoubles(own, ({ event }) => event.pattern, 'a service has one consumer for an event');
  checkDoubles(own, ({ name }) => name, 'the name is used twice');
  return own.map(({ name, event, declaredBy }) => {
    const [consumer] = instances.get(declaredBy) as [Consumer<AnyEvent>];
    return { name, event, handle: (tx, events) => consumer.handle(tx, events) };
  });
}

/** Instances of providers only: a controller is made for requests. */
function instancesByClass(modules: ModulesContainer, registry: ConsumerRegistry): Map<object, unknown[]> {
  const found = new Map<object, Set<unknown>>();
  for (const module of modules.values()) {
    for (const { instance } of module.providers.values()) {
      const declaredBy: unknown = (instance as object | null | undefined)?.constructor;
      if (!declaredBy || !registry.has(declaredBy)) continue;
      found.set(declaredBy, (found.get(declaredBy) ?? new Set()).add(instance));
    }
  }
  return new Map([...found].map(([declaredBy, set]) => [declaredBy, [...set]]));
}

function declarations(registry: ConsumerRegistry): Declaration[] {
  return [...registry].flatMap(([declaredBy, list]) =>
    list.map((one) => ({ ...one, declaredBy: declaredBy as { name: string } })),
  );
}

const isOf = (service: ServiceName, consumer: string): boolean => consumer.startsWith(`${service}.`);

function checkOne(
  declaration: Declaration,
  service: ServiceName,
  instances: ReadonlyMap<object, readonly unknown[]>,
): void {
  const { event, name, method, declaredBy } = declaration;
  const made = instances.get(declaredBy)?.length ?? 0;
  if (!isOf(service, name)) refuse(declaration, `the name must begin with ${service}.`);
  if (method !== 'handle') refuse(declaration, `the method is called ${method}, not handle`);
  if (!EVENTS.some(({ pattern }) => pattern === event.pattern))
    refuse(declaration, 'contracts has no such event');
  if (made === 0) refuse(declaration, 'no module provides the class');
  if (made > 1) refuse(declaration, `${made} modules provide the class`);
}

function checkDoubles(all: readonly Declaration[], by: (one: Declaration) => string, problem: string): void {
  const first = new Map<string, Declaration>();
  for (const declaration of all) {
    const other = first.get(by(declaration));
    if (other) refuse(declaration, `${problem}; ${other.declaredBy.name} has it`);
    first.set(by(declaration), declaration);
  }
}

function refuse({ declaredBy, event, name }: Declaration, problem: string): never {
  throw new Error(`${declaredBy.name} (${event.pattern}, ${name}): ${problem}`);
}
