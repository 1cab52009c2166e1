import type { EventEnvelope } from '@postmesh/contracts';
import { EventTransport, type RunningService } from '@postmesh/service-host';

/**
 * Hands events to the consumers of a service as the bus would, together in one transaction.
 * @throws what a consumer throws: there is no second try and no dead letter here
 */
export function deliver(service: RunningService, events: readonly EventEnvelope[]): Promise<void> {
  return service.get(EventTransport).deliver(events);
}
