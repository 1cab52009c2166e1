import { AccountId, newId, OPERATIONS, type OperationId, type OperationSpec } from '@postmesh/contracts';
import type { InternalClient } from '@postmesh/internal-http';
import { describe, expect, it } from 'vitest';
import { KeyHomes } from './key-homes.js';

const account = AccountId.parse(newId());
const routed = (id: OperationId) => ({ ...(OPERATIONS[id] as OperationSpec), id, underAccount: true });
const domains = routed('domains.create');
const webhooks = routed('webhooks.create');
const MISMATCH = 'idempotency key was already used with a different request payload';

function homesWhere(held: () => boolean) {
  const asked: unknown[] = [];
  const request = (service: string, { body }: { body?: unknown }) => {
    asked.push([service, body]);
    return Promise.resolve({ held: held() });
  };
  return { homes: new KeyHomes({ request } as unknown as InternalClient), asked };
}

describe('§4.3 a key that comes back for an operation of another service', () => {
  it('is a mismatch while the first one holds it, whoever asks how often', async () => {
    const { homes, asked } = homesWhere(() => true);
    await homes.claim(domains, account, 'k');
    await homes.claim(domains, account, 'k');
    expect(asked).toEqual([]);
    for (let at = 0; at < 2; at += 1) {
      await expect(homes.claim(webhooks, account, ' k ')).rejects.toThrow(MISMATCH);
    }
    expect(asked[0]).toEqual(['domains', { account_id: account, key: 'k' }]);
    await homes.claim(domains, account, 'k');
  });

  it('goes there once the first one holds it no more', async () => {
    const { homes, asked } = homesWhere(() => asked.length > 1);
    await homes.claim(domains, account, 'k');
    await homes.claim(webhooks, account, 'k');
    await expect(homes.claim(domains, account, 'k')).rejects.toThrow(MISMATCH);
    expect(asked.map((one) => (one as string[])[0])).toEqual(['domains', 'webhooks']);
  });

  type Given = [ReturnType<typeof routed>, AccountId, string | undefined];
  it.each<[string, () => Given]>([
    ['of another account', () => [webhooks, AccountId.parse(newId()), 'k']],
    ['that is another', () => [webhooks, account, 'K']],
    ['of an operation that ignores it', () => [routed('webhooks.update'), account, 'k']],
    ['that is blank', () => [webhooks, account, '  ']],
    ['that is missing', () => [webhooks, account, undefined]],
    ['that is too long, which the service refuses', () => [webhooks, account, 'k'.repeat(256)]],
  ])('is nothing to a key %s', async (_what, given) => {
    const { homes, asked } = homesWhere(() => true);
    await homes.claim(domains, account, 'k');
    await homes.claim(...given());
    expect(asked).toEqual([]);
  });

  it('remembers so many and forgets the oldest', async () => {
    const { homes } = homesWhere(() => true);
    for (let at = 0; at <= 100_000; at += 1) await homes.claim(domains, account, `k${at}`);
    expect(homes.size).toBe(100_000);
    await homes.claim(webhooks, account, 'k0');
    await expect(homes.claim(webhooks, account, 'k100000')).rejects.toThrow(MISMATCH);
  });
});
