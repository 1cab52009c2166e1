import { createPrivateKey, createPublicKey } from 'node:crypto';
import { Resolver } from 'node:dns/promises';
import { describe, expect, it } from 'vitest';
import { domainsUnderTest } from '../testing/domains-under-test.js';
import { RotateKeys } from './rotate-keys.js';

const DAY = 86_400_000;
const domains = domainsUnderTest();

interface Signer {
  selector: string;
  key: string;
}

/** The current signing key of a delivery worker: its selector, and the public key of its private key. */
async function signer(id: string): Promise<Signer> {
  const { body } = await domains.service.internal('GET', `/internal/domains/${id}/signing-key`);
  const key = createPublicKey(createPrivateKey(body.private_key_pem));
  return { selector: body.selector, key: key.export({ type: 'spki', format: 'der' }).toString('base64') };
}

/** The key that a receiver finds for a selector. */
async function published(domain: string, selector: string): Promise<string | undefined> {
  const resolver = new Resolver();
  resolver.setServers([domains.dns.address]);
  const found = await resolver.resolveTxt(`${selector}._domainkey.${domain}`).catch(() => []);
  return /p=(.*)$/.exec(found[0]?.join('') ?? '')?.[1];
}

describe('§11.7 a year of a domain with managed DNS', () => {
  it('has four key changes, and never a signature with an unpublished key', async () => {
    const domain = await domains.valid('year.test');
    const start = Date.parse(domain.created_at);
    const switches: number[] = [];
    const rotation = domains.service.service.get(RotateKeys);
    let before = await signer(domain.id);
    for (let now = start; now < start + 365 * DAY; now += DAY) {
      await domains.publishOwnZone();
      await rotation.sweep(undefined, () => new Date(now));
      const current = await signer(domain.id);
      expect(await published('year.test', current.selector)).toBe(current.key);
      // a worker whose cache is a day late
      expect(await published('year.test', before.selector)).toBe(before.key);
      if (current.key !== before.key) switches.push((now - start) / DAY);
      before = current;
    }
    // 90 days after a key began to sign the next one is published, and signs a day later
    expect(switches).toEqual([91, 182, 273, 364]);
    expect(await domains.sql('select distinct own from dkim_keys')).toEqual([{ own: false }]);
  });
});
