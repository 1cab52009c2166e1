import { describe, expect, it } from 'vitest';
import { NONE, unknown, type Lookup } from '../dns/dns-resolver.port.js';
import { judgeSts, judgeTlsRpt, type SeenTransport } from './transport.rules.js';

const found = (...values: string[]): Lookup<string> => ({ kind: 'found', values });
const RECORD = found('v=STSv1; id=1');

const seen = (change: Partial<SeenTransport> = {}): SeenTransport => ({
  domain: 'shop.test',
  mx: { kind: 'found', values: [{ preference: 10, exchange: 'mx1.host.test' }] },
  sts: RECORD,
  policy: { ok: true, policy: { mode: 'enforce', mx: ['*.host.test'], maxAgeSeconds: 1_209_600 } },
  rpt: found('v=TLSRPTv1; rua=mailto:tls@shop.test'),
  ...change,
});
const policy = (mode: 'enforce' | 'testing' | 'none', mx = ['*.host.test'], maxAgeSeconds = 1_209_600) =>
  ({ policy: { ok: true, policy: { mode, mx, maxAgeSeconds } } }) as const;

describe('MTA-STS of the own mail hosts', () => {
  it.each([
    [{}, 'ok', 'enforced'],
    [{ sts: NONE }, 'ok', 'optional'],
    [{ sts: NONE, mx: NONE }, 'ok', 'takes no mail'],
    [{ sts: found('v=spf1 -all') }, 'ok', 'optional'],
    [{ sts: unknown('server failure') }, 'unknown', 'server failure'],
    [{ sts: found('v=STSv1;') }, 'fault', 'is not right'],
    [{ sts: found('v=STSv1; id=1', 'v=STSv1; id=2') }, 'fault', 'is not right'],
    [{ policy: { ok: false, reason: 'status 404' } }, 'fault', 'status 404'],
    [policy('none', []), 'warning', 'protects nothing'],
    [policy('testing'), 'warning', 'only reported'],
    [policy('enforce', ['mx1.host.test'], 86_400), 'warning', 'only 86400 seconds'],
    [policy('enforce', ['mx2.host.test']), 'fault', 'does not name mx1.host.test'],
    [policy('testing', ['mx2.host.test']), 'warning', 'does not name mx1.host.test'],
    [{ mx: unknown('no answer in time') }, 'unknown', 'no answer in time'],
  ] as const)('%j: %s', (change, state, words) => {
    const judged = judgeSts(seen(change));
    expect(judged.state).toBe(state);
    expect(judged.text).toContain(words);
    if (state === 'warning' || state === 'fault') expect(judged.fix).not.toBeNull();
  });
});

describe('TLSRPT', () => {
  it.each([
    [{}, 'ok', 'mailto:tls@shop.test'],
    [{ rpt: found('v=TLSRPTv1; rua=https://r.test/a, mailto:a@shop.test') }, 'ok', 'https://r.test/a'],
    [{ rpt: NONE, sts: NONE }, 'ok', 'optional'],
    [{ rpt: NONE }, 'warning', 'no one reports'],
    [
      { rpt: found('v=TLSRPTv1; rua=mailto:a@b.test', 'v=TLSRPTv1; rua=mailto:c@b.test') },
      'fault',
      'several',
    ],
    [{ rpt: found('v=TLSRPTv1') }, 'fault', 'no rua'],
    [{ rpt: found('v=TLSRPTv1; rua=tls@shop.test') }, 'fault', 'neither mailto: nor https:'],
    [{ rpt: found('v=TLSRPTv1; broken') }, 'fault', 'no list'],
    [{ rpt: unknown('refused') }, 'unknown', 'refused'],
  ] as const)('%j: %s', (change, state, words) => {
    const judged = judgeTlsRpt(seen(change));
    expect(judged.state).toBe(state);
    expect(judged.text).toContain(words);
  });
});
