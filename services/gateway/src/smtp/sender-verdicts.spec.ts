import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { KnownSmtpCredential } from '@postmesh/accounts-contract';
import type { InternalClient } from '@postmesh/http';
import type { SmtpVerdict, Submitter } from '@postmesh/messages-contract';
import { SenderVerdicts } from './sender-verdicts.js';

const USABLE_MS = 400;
const SENDER = 'a@shop.test';
const credential = () => ({ credential_id: 'one' }) as KnownSmtpCredential;

/** Counts the requests, each of which takes a while. */
function messagesService(verdict: SmtpVerdict, takesMs = 0) {
  const request = vi.fn(async () => {
    vi.advanceTimersByTime(takesMs);
    return verdict;
  });
  const verdicts = new SenderVerdicts({ request } as unknown as InternalClient);
  const ask = (by: KnownSmtpCredential, sender = SENDER) => verdicts.of(by, {} as Submitter, sender);
  return { ask, requests: () => request.mock.calls.length };
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

it('a positive verdict is used again for its time, counted from the request', async () => {
  const { ask, requests } = messagesService({ ok: true, usable_ms: USABLE_MS }, 100);
  const one = credential();
  await ask(one);
  vi.advanceTimersByTime(USABLE_MS - 101);
  expect(await ask(one)).toEqual({ ok: true });
  expect(requests()).toBe(1);
  vi.advanceTimersByTime(1);
  await ask(one);
  expect(requests()).toBe(2);
});

it.each<[string, SmtpVerdict]>([
  ['without a time', { ok: true }],
  ['for no time', { ok: true, usable_ms: 0 }],
  ['against the sender', { ok: false, reply: { code: 556, text: 'no' } }],
])('a verdict %s is asked for at every MAIL', async (_, verdict) => {
  const { ask, requests } = messagesService(verdict);
  const one = credential();
  expect(await ask(one)).toEqual(verdict);
  expect(await ask(one)).toEqual(verdict);
  expect(requests()).toBe(2);
});

it('a verdict holds neither for another sender nor for changed facts of the credential', async () => {
  const { ask, requests } = messagesService({ ok: true, usable_ms: USABLE_MS });
  const one = credential();
  await ask(one);
  await ask(one, 'b@shop.test');
  await ask(credential());
  expect(requests()).toBe(3);
});
