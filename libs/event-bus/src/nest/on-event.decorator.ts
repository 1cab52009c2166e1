import { EventPattern } from '@nestjs/microservices';

/**
 * Nest's `@EventPattern` for one of our events: `@OnEvent(MessageAccepted)`. The method gets
 * `(@Payload() events: readonly EventEnvelope[], @Ctx() context: BusContext)`, all of that one event and version.
 */
export function OnEvent(event: { readonly pattern: string }): MethodDecorator {
  // The type argument picks the overload that leaves the method's own parameter types alone.
  return EventPattern<string>(event.pattern);
}
