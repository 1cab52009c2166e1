import type { EventDefinition, EventOf } from '@postmesh/contracts';
import type { AfterCommit } from '@postmesh/outbox';
import type { EntityManager } from 'typeorm';

// oxlint-disable-next-line typescript/no-explicit-any -- of whatever data
export type AnyEvent = EventDefinition<any>;

/** What takes events: a provider of its feature module with `@Consumes` on `handle`. */
export interface Consumer<D extends AnyEvent> {
  /**
   * @param tx the transaction that also marks the events as handled: every effect goes through it, none over the network
   * @param events of one kind, parsed, in order per key, each not handled before
   * @returns what to call after the commit
   * @throws what decides by its kind: Transient has them delivered again, anything else ends as a dead letter
   */
  handle(tx: EntityManager, events: EventOf<D>[]): Promise<AfterCommit | void>;
}

/** A consumer as its class declares it. */
export interface DeclaredConsumer {
  event: AnyEvent;
  name: string;
  method: string;
}

/** What classes declare, by class. */
export type ConsumerRegistry = Map<object, readonly DeclaredConsumer[]>;

/** Every class with `@Consumes` that this process has loaded, of whatever service. */
export const declaredConsumers: ConsumerRegistry = new Map();

/**
 * Marks `handle` of a consumer: `@Consumes(MessageAccepted, 'delivery-worker.intake')`.
 * @param name `<service>.<what it does>`; inbox rows and dead letters carry it, so it outlives releases
 */
export function Consumes<D extends AnyEvent>(event: D, name: string) {
  return <H extends Consumer<D>['handle']>(
    target: object,
    method: string,
    _descriptor: TypedPropertyDescriptor<H>,
  ): void => {
    const before = declaredConsumers.get(target.constructor) ?? [];
    declaredConsumers.set(target.constructor, [...before, { event, name, method }]);
  };
}
