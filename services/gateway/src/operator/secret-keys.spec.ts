import { expect, it } from 'vitest';
import { INNER_SERVICES, type ServiceName } from '@postmesh/contracts';
import { InternalClient, ServiceDirectory, ServiceTokens } from '@postmesh/http';
import { readSecrets, rotateSecrets } from './secret-keys.js';

interface Told {
  status?: number;
  key_ids?: string[];
  secrets?: object[];
}

const asked: string[] = [];
const KEYS = { kind: 'api-keys', current: 3, older: 0, unreadable: 0, state: 'current' };

/** Services with the given answers; the others have no secrets, and the keys b and a. */
function installation(told: Partial<Record<ServiceName, Told>> = {}): InternalClient {
  const directory = new ServiceDirectory({});
  asked.length = 0;
  for (const service of INNER_SERVICES) {
    const { status = 200, key_ids = ['b', 'a'], secrets = [] } = told[service] ?? {};
    directory.addLocal(service, {
      route: () => undefined,
      inject: async ({ method, path }) => {
        asked.push(`${method} ${path}`);
        return { status, headers: {}, bytes: Buffer.from(JSON.stringify({ key_ids, secrets })) };
      },
    });
  }
  return new InternalClient(directory, new ServiceTokens([Buffer.alloc(32)], 'gateway'));
}

it('shows the secrets of every service, and that older keys can be removed', async () => {
  expect(await readSecrets(installation({ accounts: { secrets: [KEYS] } }))).toEqual({
    current_key_ids: ['b'],
    older_key_ids: ['a'],
    rotating: false,
    older_keys_removable: true,
    secrets: [{ service: 'accounts', ...KEYS }],
  });
});

it.each<[string, Partial<Record<ServiceName, Told>>]>([
  ['something rests on one', { accounts: { secrets: [{ ...KEYS, older: 1, state: 'at next use' }] } }],
  ['something is still rotated', { accounts: { secrets: [{ ...KEYS, state: 'rotating' }] } }],
  ['services have different current keys', { domains: { key_ids: ['a', 'b'] } }],
])('older keys cannot be removed while %s', async (_, told) => {
  expect(await readSecrets(installation(told))).toMatchObject({ older_keys_removable: false });
});

it('a secret that no key opens does not require an older key', async () => {
  const told = { accounts: { secrets: [{ ...KEYS, unreadable: 2 }] } };
  expect(await readSecrets(installation(told))).toMatchObject({ older_keys_removable: true });
});

it('starts the rotation in every service', async () => {
  await rotateSecrets(installation());
  expect(asked.filter((one) => one === 'POST /operator/secrets/rotate')).toHaveLength(INNER_SERVICES.length);
});

it('rotates nothing while services have different current keys', async () => {
  const divided = installation({ domains: { key_ids: ['a', 'b'] } });
  await expect(rotateSecrets(divided)).rejects.toMatchObject({ status: 409 });
  expect(asked.some((one) => one.startsWith('POST'))).toBe(false);
});

it('is an error when a service is unavailable', async () => {
  await expect(readSecrets(installation({ webhooks: { status: 404 } }))).rejects.toThrow(
    'the webhooks service cannot be asked for its secrets',
  );
});
