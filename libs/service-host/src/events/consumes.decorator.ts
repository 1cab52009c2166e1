import { applyDecorators, Catch, UseFilters, type RpcExceptionFilter } from '@nestjs/common';
import { BaseRpcContext, EventPattern } from '@nestjs/microservices';
import type { EventDefinition, EventOf } from '@postmesh/contracts';
import type { AfterCommit } from '@postmesh/events';
import { throwError, type Observable } from 'rxjs';
import type { EntityManager } from 'typeorm';

// oxlint-disable-next-line typescript/no-explicit-any -- of any data
export type AnyEvent = EventDefinition<any>;

/** The transport of events among the transports of Nest: patterns of other transports never reach it. */
export const EVENT_TRANSPORT = Symbol('postmesh events');

/** The transaction in which a consumer handles its events: its parameter `@Ctx()`. */
export class EventContext extends BaseRpcContext<[tx: EntityManager]> {
  /** called in this order */
  readonly afterCommitCalls: AfterCommit[] = [];

  /** It also marks the events as handled. Every effect goes through it; no HTTP, SMTP or DNS happens while it is open. */
  get tx(): EntityManager {
    return this.args[0];
  }

  /** Registers a callback for after the commit, for example a wake-up signal. It is not called after a rollback. */
  readonly afterCommit = (call: AfterCommit | void): void => {
    if (call) this.afterCommitCalls.push(call);
  };
}

/** A consumer as its class declares it. */
export interface DeclaredConsumer {
  readonly event: AnyEvent;
  readonly name: string;
  readonly method: string;
  readonly declaredBy: { readonly name: string };
}

/**
 * Every consumer whose class this process has loaded, of any service. Nest knows the classes in modules only: this list
 * finds a class that no module has.
 */
export const declaredConsumers = new Set<DeclaredConsumer>();

/**
 * The kind of an error (Transient, Permanent, Poison, Bug) decides what happens to the events. Nest would replace the
 * error by "Internal server error": this filter passes it on as it is.
 */
@Catch()
class KeepFailureKind implements RpcExceptionFilter {
  catch(error: unknown): Observable<never> {
    return throwError(() => error);
  }
}

type Handle<D extends AnyEvent> = (events: EventOf<D>[], context: EventContext) => Promise<void>;

/**
 * Makes a method of a controller a consumer of events. It gets the events of one kind that came together, parsed, in
 * order per key, each not handled before; what it throws decides by its kind: Transient has them delivered again,
 * anything else ends as a dead letter.
 *
 * ```ts
 * @Controller()
 * export class OnMessageAccepted {
 *   @Consumes(MessageAccepted, 'delivery-worker.intake')
 *   async handle(@Payload() events: EventOf<typeof MessageAccepted>[], @Ctx() { tx }: EventContext): Promise<void>
 * ```
 * @param name `<service>.<what it does>`; inbox rows and dead letters carry it, so it outlives releases
 */
export function Consumes<D extends AnyEvent>(event: D, name: string) {
  return <H extends Handle<D>>(
    target: object,
    method: string,
    descriptor: TypedPropertyDescriptor<H>,
  ): void => {
    const consumer: DeclaredConsumer = { event, name, method, declaredBy: target.constructor };
    declaredConsumers.add(consumer);
    const decorate = applyDecorators(
      EventPattern<string>(event.pattern, EVENT_TRANSPORT, { consumer }),
      UseFilters(KeepFailureKind),
    );
    decorate(target, method, descriptor);
  };
}
