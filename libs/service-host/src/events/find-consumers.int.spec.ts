import { Controller, Injectable, Module, type Type } from '@nestjs/common';
import { ModulesContainer, NestFactory } from '@nestjs/core';
import {
  AccountChanged,
  defineEvent,
  DomainChanged,
  type EventDefinition,
  type ServiceName,
} from '@postmesh/contracts';
import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ConsumerRegistry } from './consumes.decorator.js';
import { findConsumers } from './find-consumers.js';

const Unregistered = defineEvent({
  type: 'never-told',
  version: 1,
  stream: 'accounts',
  data: z.object({ id: z.string() }),
  key: ({ id }) => id,
  examples: [{ id: 'x' }],
});

// A process knows every class that it has loaded: each case has its own.
let registry: ConsumerRegistry;
beforeEach(() => {
  registry = new Map();
});

async function consumersOf(service: ServiceName, module: object) {
  @Module(module)
  class Sample {}
  const app = await NestFactory.createApplicationContext(Sample, { logger: false, abortOnError: false });
  try {
    return findConsumers(app.get(ModulesContainer), service, registry);
  } finally {
    await app.close();
  }
}

/** @returns a class with `@Consumes`, as a service would write it */
function consumer(event: EventDefinition<never>, name: string, method = 'handle'): Type {
  const declared = { [`On_${name}`]: class {} }[`On_${name}`] as Type;
  Object.assign(declared.prototype as object, { [method]: async () => undefined });
  registry.set(declared, [{ event, name, method }]);
  Injectable()(declared);
  return declared;
}

describe('the consumers of a service', () => {
  it('are the providers of its modules, wherever these are imported', async () => {
    const one = consumer(AccountChanged as never, 'accounts.one');
    const two = consumer(DomainChanged as never, 'accounts.two');
    @Module({ providers: [one], exports: [one] })
    class Feature {}
    const found = await consumersOf('accounts', { imports: [Feature], providers: [two] });
    expect(found.map(({ name, event }) => [name, event.stream])).toEqual([
      ['accounts.one', 'accounts'],
      ['accounts.two', 'domains'],
    ]);
  });

  it.each<[string, ServiceName, RegExp, () => object]>([
    [
      'a class that no module provides',
      'domains',
      /On_domains\.one \(account-changed\.v1, domains\.one\): no module provides/,
      () => {
        consumer(AccountChanged as never, 'domains.one');
        return {};
      },
    ],
    [
      'a class that is a controller only',
      'messages',
      /no module provides/,
      () => {
        const declared = consumer(AccountChanged as never, 'messages.one');
        Controller()(declared);
        return { controllers: [declared] };
      },
    ],
    [
      'a method that is not called handle',
      'marketing',
      /called on, not handle/,
      () => ({ providers: [consumer(AccountChanged as never, 'marketing.one', 'on')] }),
    ],
    [
      'two consumers of one event',
      'webhooks',
      /On_webhooks\.two \(account-changed\.v1.*one consumer for an event; On_webhooks\.one/,
      () => ({
        providers: ['webhooks.one', 'webhooks.two'].map((name) => consumer(AccountChanged as never, name)),
      }),
    ],
    [
      'a name that is used twice',
      'delivery-worker',
      /used twice/,
      () => ({
        providers: [AccountChanged, DomainChanged].map((event) =>
          consumer(event as never, 'delivery-worker.one'),
        ),
      }),
    ],
    [
      'an event that contracts do not have',
      'webhook-dispatcher',
      /contracts has no such event/,
      () => ({ providers: [consumer(Unregistered as never, 'webhook-dispatcher.one')] }),
    ],
    [
      'a name of another service',
      'gateway',
      /must begin with gateway\./,
      () => ({ providers: [consumer(AccountChanged as never, 'elsewhere.one')] }),
    ],
  ])('are refused with %s', async (_case, service, message, declare) => {
    await expect(consumersOf(service, declare())).rejects.toThrow(message);
  });

  it('are refused where two modules provide one', async () => {
    const one = consumer(AccountChanged as never, 'gateway.twice');
    @Module({ providers: [one] })
    class Feature {}
    await expect(consumersOf('gateway', { imports: [Feature], providers: [one] })).rejects.toThrow(
      /2 modules provide/,
    );
  });
});
