import { z } from 'zod';
import { ApiError, INNER_SERVICES, type ServiceName } from '@postmesh/contracts';
import type { InternalClient, InternalRequest } from '@postmesh/http';
import { askService } from './installation.js';

const SecretsOfService = z.object({
  /** of POSTMESH_SECRET_KEYS of the responding process, the current key first */
  key_ids: z.array(z.string()).min(1),
  secrets: z.array(
    z.object({
      kind: z.string(),
      current: z.number().int(),
      older: z.number().int(),
      unreadable: z.number().int(),
      state: z.string(),
    }),
  ),
});
type SecretsOfService = z.infer<typeof SecretsOfService> & { service: ServiceName };

/** The secrets of every service by the key of POSTMESH_SECRET_KEYS that sealed them. @throws ApiError 503 */
export async function readSecrets(client: InternalClient): Promise<object> {
  return view(await everywhere(client, { method: 'GET', path: '/operator/secrets' }));
}

/**
 * Makes every service re-encrypt the secrets sealed by older keys. Each continues automatically; `readSecrets` shows
 * the progress. @throws ApiError 409 while services have different current keys, since each would rotate to its own; 503
 */
export async function rotateSecrets(client: InternalClient): Promise<object> {
  const before = await everywhere(client, { method: 'GET', path: '/operator/secrets' });
  if (currentKeys(before).length > 1) {
    throw new ApiError(
      409,
      'services have different current secret keys: finish changing their settings first',
    );
  }
  return view(await everywhere(client, { method: 'POST', path: '/operator/secrets/rotate' }));
}

function everywhere(client: InternalClient, request: InternalRequest): Promise<SecretsOfService[]> {
  const what = 'secrets';
  return Promise.all(
    INNER_SERVICES.map(async (service) => {
      const response = await askService(client, { service, what, request, schema: SecretsOfService });
      return { service, ...response };
    }),
  );
}

const currentKeys = (services: readonly SecretsOfService[]): string[] => [
  ...new Set(services.map(({ key_ids }) => key_ids[0] ?? '')),
];

function view(services: readonly SecretsOfService[]): object {
  const secrets = services.flatMap(({ service, secrets: own }) => own.map((one) => ({ service, ...one })));
  const keys = currentKeys(services);
  const isRotating = secrets.some(({ state }) => state === 'rotating');
  const restsOnCurrent = secrets.every(({ older }) => older === 0);
  return {
    current_key_ids: keys,
    older_key_ids: [...new Set(services.flatMap(({ key_ids }) => key_ids.slice(1)))],
    rotating: isRotating,
    // no secret would become unreadable
    older_keys_removable: keys.length === 1 && !isRotating && restsOnCurrent,
    secrets,
  };
}
