import { expect } from 'vitest';
import type { TestService } from './start-test-service.js';

interface Secrets {
  kind: string;
  current: number;
  older: number;
  unreadable: number;
  state: string;
}

/** Has a service seal its secrets with the current key. @returns by kind, when it is done */
export async function rotateSecrets(service: TestService): Promise<Record<string, Secrets>> {
  const asked = await service.internal('POST', '/operator/secrets/rotate');
  expect(asked.status).toBe(200);
  await expect
    .poll(async () => (await secretsOf(service)).some(({ state }) => state === 'rotating'), {
      timeout: 15_000,
    })
    .toBe(false);
  return Object.fromEntries((await secretsOf(service)).map((one) => [one.kind, one]));
}

const secretsOf = async (service: TestService): Promise<Secrets[]> =>
  (await service.internal('GET', '/operator/secrets')).body.secrets as Secrets[];
