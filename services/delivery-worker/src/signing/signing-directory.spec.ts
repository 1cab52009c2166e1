import { generateKeyPairSync } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { InternalClient } from '@postmesh/http';
import { SigningDirectory } from './signing-directory.js';

const PEM = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const key = (selector: string) => ({ key_id: selector, domain: 'shop.test', selector, private_key_pem: PEM });

/** A domains service that answers when the test resolves it. */
function domainsService() {
  const answers: { give: (facts: object | undefined) => void; fail: (error: Error) => void }[] = [];
  const request = () => new Promise((give, fail) => answers.push({ give, fail }));
  return { answers, directory: new SigningDirectory({ request } as unknown as InternalClient) };
}

afterEach(() => {
  vi.useRealTimers();
});

describe('the key of a domain', () => {
  it('is requested once, and cached for half a minute', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { answers, directory } = domainsService();
    const found = Promise.all([directory.find('d'), directory.find('d')]);
    answers[0]!.give(key('pm1'));
    expect((await found).map((one) => one?.selector)).toEqual(['pm1', 'pm1']);
    vi.setSystemTime(Date.now() + 29_000);
    expect((await directory.find('d'))?.selector).toBe('pm1');
    vi.setSystemTime(Date.now() + 2_000);
    const again = directory.find('d');
    answers[1]!.give(key('pm2'));
    expect((await again)?.selector).toBe('pm2');
  });

  it('is not a response in flight while the domain changed', async () => {
    const { answers, directory } = domainsService();
    const before = directory.find('d');
    directory.forget('d');
    const after = directory.find('d');
    answers[1]!.give(key('new'));
    expect((await after)?.selector).toBe('new');
    answers[0]!.give(key('old'));
    await before;
    expect((await directory.find('d'))?.selector).toBe('new');
  });

  it('of a deleted domain is not requested with every message', async () => {
    const { answers, directory } = domainsService();
    const found = directory.find('d');
    answers[0]!.give(undefined);
    expect(await found).toBeUndefined();
    expect(await directory.find('d')).toBeUndefined();
    expect(answers).toHaveLength(1);
  });

  it('is requested again after a failure', async () => {
    const { answers, directory } = domainsService();
    const failed = directory.find('d');
    answers[0]!.fail(new Error('away'));
    await expect(failed).rejects.toThrow('away');
    const found = directory.find('d');
    answers[1]!.give(key('pm1'));
    expect((await found)?.selector).toBe('pm1');
  });
});
