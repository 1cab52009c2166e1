import { FAILING_AFTER, type EndpointStanding } from '@postmesh/webhooks-contract';

/** A webhook or a route with the state of its calls. */
export interface EndpointRow {
  target: 'webhook' | 'route';
  endpoint_id: string;
  account_id: string;
  name: string;
  url: string;
  enabled: boolean;
  failures: number;
  failing_since: Date | null;
  last_failure: string | null;
  /** when the service disabled it */
  disabled_at: Date | null;
}

/** The state of an endpoint as readable text, and the commands that resolve it. */
export function standingOf(row: EndpointRow): EndpointStanding {
  const { target, endpoint_id, account_id, name, url, enabled } = row;
  const isFailing = enabled && row.failing_since !== null && row.failures >= FAILING_AFTER;
  const state = !enabled ? 'disabled' : isFailing ? 'failing' : 'enabled';
  const about = { endpoint_id, target, account_id, name, host: new URL(url).host, state } as const;
  if (state === 'enabled') return { ...about, standing: null, to_do: null };
  const recover = `npx postmesh webhook-recover ${endpoint_id} --since ${(row.failing_since ?? row.disabled_at)?.toISOString() ?? '7d'}`;
  if (state === 'failing') {
    return {
      ...about,
      standing: `${failedSince(row)}; it is called at a low rate, and waiting calls are kept`,
      to_do: `npx postmesh webhook-attempts ${endpoint_id} --failed; after the repair of its receiver: ${recover}`,
    };
  }
  const standing =
    row.disabled_at === null
      ? `disabled by its owner${target === 'webhook' ? '; its events are kept for the replay window' : ''}`
      : `disabled at ${row.disabled_at.toISOString()}: ${failedSince(row)}`;
  return { ...about, standing, to_do: `npx postmesh webhook-enable ${endpoint_id}; then ${recover}` };
}

const failedSince = ({ failing_since, failures, last_failure }: EndpointRow): string =>
  // a call that was in flight when it was disabled has succeeded
  failing_since === null
    ? 'every call had failed for too long'
    : `every call has failed since ${failing_since.toISOString()} (${failures} in a row, the last one: ${last_failure ?? 'unknown'})`;
