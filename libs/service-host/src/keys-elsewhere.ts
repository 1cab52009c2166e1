import {
  HeldKeyResponse,
  IDEMPOTENCY_REGISTER,
  ReserveKeyResponse,
  ServiceName,
  Transient,
  type HeldKeyRequest,
  type ReserveKeyRequest,
} from '@postmesh/contracts';
import type { Elsewhere } from '@postmesh/idempotency';
import type { InternalClient } from '@postmesh/internal-http';

/** How a service knows of the idempotency keys that others hold (spec 1-platform §4.2 rule 1). */
export function keysElsewhere(client: InternalClient, name: ServiceName): Elsewhere {
  const isHeld: Elsewhere['isHeld'] = async (home, { accountId, key }) => {
    const body: HeldKeyRequest = { account_id: accountId, key };
    const path = '/internal/idempotency-keys/held';
    const service = ServiceName.parse(home);
    return need(service, await client.request(service, { method: 'POST', path, body }, HeldKeyResponse)).held;
  };
  const reserve: Elsewhere['reserve'] = async ({ accountId, key, fingerprint, token }) => {
    const body: ReserveKeyRequest = {
      account_id: accountId,
      key,
      fingerprint: fingerprint.toString('base64'),
      token,
      home: name,
    };
    const path = '/internal/idempotency-keys/reserve';
    const service = IDEMPOTENCY_REGISTER;
    return need(service, await client.request(service, { method: 'POST', path, body }, ReserveKeyResponse))
      .reserved;
  };
  return name === IDEMPOTENCY_REGISTER ? { isHeld } : { isHeld, reserve };
}

/** A service of before does not know of keys elsewhere yet: it will in a moment. */
function need<T>(service: ServiceName, response: T | undefined): T {
  if (response === undefined) throw new Transient(`${service} does not know of idempotency keys`);
  return response;
}
