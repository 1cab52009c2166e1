import type { BusObserver } from '@postmesh/event-bus';
import type { Metrics } from '@postmesh/observability';

/** Counts what a service does with the events it hears. */
export function observeBus(metrics: Metrics, service: string): BusObserver {
  const handled = metrics.counter('postmesh_events_handled_total', 'Events handled', ['service', 'pattern']);
  const ignored = metrics.counter('postmesh_events_ignored_total', 'Events that no handler knows', [
    'service',
    'pattern',
  ]);
  const buried = metrics.counter('postmesh_events_dead_total', 'Events that became dead letters', [
    'service',
    'kind',
  ]);
  const redelivered = metrics.counter('postmesh_event_batches_redelivered_total', 'Batches that came again', [
    'service',
    'kind',
  ]);
  const took = metrics.histogram('postmesh_event_batch_seconds', 'Handling of one batch', [
    'service',
    'pattern',
  ]);
  return {
    handled: (pattern, events, tookMs) => {
      handled.inc({ service, pattern }, events);
      took.observe({ service, pattern }, tookMs / 1000);
    },
    ignored: (pattern, events) => ignored.inc({ service, pattern }, events),
    buried: (_pattern, kind) => buried.inc({ service, kind }),
    redelivered: (kind) => redelivered.inc({ service, kind }),
  };
}
