import { Pepper } from '@postmesh/secrets';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Settings } from '@postmesh/settings';
import { REPLIES } from '../replies.table.js';
import type { SmtpMetrics } from '../smtp-metrics.js';
import type { SmtpSession } from '../smtp-session.js';
import type { CredentialCache } from './credential-cache.js';
import type { CredentialRehashes } from './credential-rehashes.js';
import { Logins } from './logins.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** No username is known. */
function makeLogins(): Logins {
  const cache = { find: () => Promise.resolve(undefined) } as unknown as CredentialCache;
  const metrics = { logins: { inc: () => undefined } } as unknown as SmtpMetrics;
  const settings = { smtpLoginFailures: 10_000 } as Settings;
  return new Logins(
    cache,
    new Pepper(['a-key-that-is-long-enough']),
    {} as CredentialRehashes,
    metrics,
    settings,
  );
}

function failed(logins: Logins, username: string, peer: string) {
  const session = { peer, failedLogins: 0 } as SmtpSession;
  const given = { reply: undefined as unknown };
  void logins.check({ username, password: 'x' }, session).then((result) => Object.assign(given, result));
  return given;
}

describe('a failed login', () => {
  it('of a username that failed before gets its reply two seconds later, from any peer', async () => {
    const logins = makeLogins();
    const [first, other] = [failed(logins, 'ann', '192.0.2.1'), failed(logins, 'ben', '192.0.2.1')];
    await vi.advanceTimersByTimeAsync(0);
    expect([first.reply, other.reply]).toEqual([REPLIES.wrongCredentials, REPLIES.wrongCredentials]);
    const again = failed(logins, 'ann', '192.0.2.2');
    await vi.advanceTimersByTimeAsync(1_999);
    expect(again.reply).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(again.reply).toBe(REPLIES.wrongCredentials);
  });

  it('is rejected where 500 wait already', async () => {
    const logins = makeLogins();
    const tries = Array.from({ length: 502 }, () => failed(logins, 'ann', '192.0.2.1'));
    await vi.advanceTimersByTimeAsync(0);
    const replies = tries.map(({ reply }) => reply).filter((reply) => reply !== undefined);
    expect(replies).toEqual([REPLIES.wrongCredentials, REPLIES.tooManyFailures]);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(tries.every(({ reply }) => reply !== undefined)).toBe(true);
  });
});
