import { EventPattern } from '@nestjs/microservices';
import type { EventDefinition } from '@postmesh/contracts';

/**
 * Makes a controller method hear an event: Nest's `@EventPattern` with the pattern of the definition. The
 * method takes an array of envelopes (`@Payload() events: EventEnvelope[]`) and parses each with it.
 */
export function Hears(definition: Pick<EventDefinition<never>, 'pattern'>): MethodDecorator {
  return EventPattern<string>(definition.pattern) as MethodDecorator;
}
