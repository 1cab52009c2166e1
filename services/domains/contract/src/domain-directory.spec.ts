import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AccountId } from '@postmesh/contracts';
import type { InternalClient } from '@postmesh/http';
import { DomainDirectory } from './domain-directory.js';
import { DOMAIN_FACTS_USABLE_MS } from './events/domain-changed.v1.js';

const ACCOUNT = 'account' as AccountId;
const FACTS = {
  domain_id: '01980f3e-0000-7c11-a2d4-0c5f9e6b8a00',
  account_id: '0b6f4a52-7c1d-4e0f-8a39-61b2c7d8e9f0',
  domain: 'shop.test',
  dns_valid: true,
  paused: false,
};

/** A domains service that answers when the test resolves it. */
function domainsService() {
  const answers: { give: (facts: object | undefined) => void; fail: (error: Error) => void }[] = [];
  const request = () => new Promise((give, fail) => answers.push({ give, fail }));
  const directory = new DomainDirectory({ request } as unknown as InternalClient);
  return { answers, find: () => directory.find(ACCOUNT, 'shop.test'), directory };
}

describe('the facts of a domain', () => {
  it('are requested once for concurrent callers, and cached', async () => {
    const { answers, find } = domainsService();
    const found = Promise.all([find(), find()]);
    answers[0]!.give(FACTS);
    expect(await found).toEqual([FACTS, FACTS]);
    expect(await find()).toEqual(FACTS);
    expect(answers).toHaveLength(1);
  });

  it.each([
    ['is paused', { ...FACTS, paused: true }],
    ['has no valid DNS', { ...FACTS, dns_valid: false }],
    ['is not there', undefined],
  ])('is asked for each time while it %s', async (_, facts) => {
    const { answers, find } = domainsService();
    for (const nth of [0, 1]) {
      const found = find();
      answers[nth]!.give(facts);
      expect(await found).toEqual(facts);
    }
  });

  it('are not a response in flight during a change', async () => {
    const { answers, find, directory } = domainsService();
    const before = find();
    directory.forget(ACCOUNT, 'shop.test');
    const after = find();
    answers[1]!.give({ ...FACTS, paused: true });
    expect(await after).toMatchObject({ paused: true });
    answers[0]!.give(FACTS);
    expect(await before).toEqual(FACTS);
    const next = find();
    answers[2]!.give({ ...FACTS, paused: true });
    expect(await next).toMatchObject({ paused: true });
  });

  describe('are usable for a bounded time from the beginning of their look-up (ADR 95)', () => {
    beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
    afterEach(() => void vi.useRealTimers());

    it('even if the response was late', async () => {
      const { answers, find } = domainsService();
      const first = find();
      vi.advanceTimersByTime(DOMAIN_FACTS_USABLE_MS - 10);
      answers[0]!.give(FACTS);
      await first;
      expect(await find()).toEqual(FACTS);
      vi.advanceTimersByTime(11);
      const next = find();
      answers[1]!.give(undefined);
      expect(await next).toBeUndefined();
    });

    it('which is known to callers that keep what follows from them', async () => {
      const { answers, find, directory } = domainsService();
      const usable = () => directory.usableMs(ACCOUNT, 'shop.test');
      expect(usable()).toBe(0);
      const first = find();
      vi.advanceTimersByTime(100);
      answers[0]!.give(FACTS);
      await first;
      expect(usable()).toBe(DOMAIN_FACTS_USABLE_MS - 100);
      directory.forget(ACCOUNT, 'shop.test');
      expect(usable()).toBe(0);
    });

    it('so that later callers join no older look-up', async () => {
      const { answers, find } = domainsService();
      const early = find();
      vi.advanceTimersByTime(DOMAIN_FACTS_USABLE_MS + 1);
      const [late, later] = [find(), find()];
      answers[0]!.give(FACTS);
      expect(await early).toEqual(FACTS);
      await vi.waitFor(() => expect(answers).toHaveLength(2));
      answers[1]!.give({ ...FACTS, paused: true });
      expect(await Promise.all([late, later])).toEqual([
        { ...FACTS, paused: true },
        { ...FACTS, paused: true },
      ]);
    });
  });

  it('are requested again after a failure', async () => {
    const { answers, find } = domainsService();
    const failed = find();
    answers[0]!.fail(new Error('away'));
    await expect(failed).rejects.toThrow('away');
    const found = find();
    answers[1]!.give(FACTS);
    expect(await found).toEqual(FACTS);
  });
});
