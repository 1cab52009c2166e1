import { Controller, Injectable, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { EventPattern, Server } from '@nestjs/microservices';
import type { EventDefinition, ServiceName } from '@postmesh/contracts';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';

import { checkConsumers } from './check-consumers.js';
import { Consumes, declaredConsumers, EVENT_TRANSPORT } from './consumes.decorator.js';
import { AccountChanged, DomainChanged } from '../testing/sample-events.js';

/** The handlers that Nest gives to the transport of events. */
class Handlers extends Server {
  override readonly transportId = EVENT_TRANSPORT;
  override listen(started: () => void): void {
    started();
  }
  override close(): void {}
  override on(): void {}
  override unwrap(): never {
    throw new Error('no server');
  }
}

// The registry has every class that the process has loaded: each case has its own.
beforeEach(() => declaredConsumers.clear());
afterAll(() => declaredConsumers.clear());

async function consumersOf(service: ServiceName, module: object) {
  @Module(module)
  class Sample {}
  const strategy = new Handlers();
  const app = await NestFactory.createMicroservice(Sample, { strategy, logger: false, abortOnError: false });
  try {
    await app.listen();
    return checkConsumers(service, strategy.getHandlers());
  } finally {
    await app.close();
  }
}

/** @returns a controller with `@Consumes`, as in a service */
function consumer(event: EventDefinition<never>, name: string, method = 'handle'): Type {
  const declared = { [`On_${name}`]: class {} }[`On_${name}`] as Type;
  const descriptor = { value: async () => undefined, configurable: true };
  Object.defineProperty(declared.prototype, method, descriptor);
  Consumes(event, name)(declared.prototype as object, method, descriptor);
  Controller()(declared);
  return declared;
}

describe('the consumers of a service', () => {
  it('are the controllers of its modules, wherever these are imported', async () => {
    const one = consumer(AccountChanged as never, 'accounts.one');
    const two = consumer(DomainChanged as never, 'accounts.two');
    @Module({ controllers: [one] })
    class Feature {}
    const found = await consumersOf('accounts', { imports: [Feature], controllers: [two] });
    expect(found.map(({ name, event }) => [name, event.stream])).toEqual([
      ['accounts.one', 'accounts'],
      ['accounts.two', 'domains'],
    ]);
  });

  it.each<[string, ServiceName, RegExp, () => object]>([
    [
      'a class that no module has',
      'domains',
      /On_domains\.one \(account-changed\.v1, domains\.one\): no module has the class among its controllers/,
      () => {
        consumer(AccountChanged as never, 'domains.one');
        return {};
      },
    ],
    [
      'a class that is a provider only',
      'messages',
      /no module has the class among its controllers/,
      () => {
        const declared = consumer(AccountChanged as never, 'messages.one');
        Injectable()(declared);
        return { providers: [declared] };
      },
    ],
    [
      'a method that is not called handle',
      'marketing',
      /called on, not handle/,
      () => ({ controllers: [consumer(AccountChanged as never, 'marketing.one', 'on')] }),
    ],
    [
      'two consumers of one event',
      'webhooks',
      /On_webhooks\.two \(account-changed\.v1.*one consumer for an event; On_webhooks\.one/,
      () => ({
        controllers: ['webhooks.one', 'webhooks.two'].map((name) => consumer(AccountChanged as never, name)),
      }),
    ],
    [
      'a name that is used twice',
      'delivery-worker',
      /used twice/,
      () => ({
        controllers: [AccountChanged, DomainChanged].map((event) =>
          consumer(event as never, 'delivery-worker.one'),
        ),
      }),
    ],
    [
      'a name of another service',
      'gateway',
      /must begin with gateway\./,
      () => ({ controllers: [consumer(AccountChanged as never, 'elsewhere.one')] }),
    ],
    [
      'a pattern of Nest without its name',
      'gateway',
      /account-changed\.v1: events are consumed by @Consumes/,
      () => {
        @Controller()
        class Bare {
          @EventPattern<string>(AccountChanged.pattern)
          on(): void {}
        }
        return { controllers: [Bare] };
      },
    ],
  ])('are refused with %s', async (_case, service, message, declare) => {
    await expect(consumersOf(service, declare())).rejects.toThrow(message);
  });

  it('are refused where two modules have the same one', async () => {
    const one = consumer(AccountChanged as never, 'gateway.twice');
    @Module({ controllers: [one] })
    class Feature {}
    await expect(consumersOf('gateway', { imports: [Feature], controllers: [one] })).rejects.toThrow(
      /2 modules have/,
    );
  });
});
