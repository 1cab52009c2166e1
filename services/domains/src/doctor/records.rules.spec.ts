import { describe, expect, it } from 'vitest';
import { readDmarc } from '../dns/dmarc.rules.js';
import type { Finding } from '../dns/record-lookups.js';
import { judgeRecords } from './records.rules.js';

const finding = (kind: Finding['kind'], verdict: Finding['verdict'] = 'pass'): Finding => ({
  kind,
  verdict,
  host: `${kind}.shop.test`,
  content: '',
  required: true,
  problem:
    verdict === 'pass'
      ? null
      : { code: 'not_found', found: `no ${kind}`, wanted: '', advice: `publish ${kind}` },
});
const KINDS = ['spf', 'dkim', 'dkim_standby', 'dmarc', 'return_path', 'tracking', 'mx'] as const;

/** The checks of a domain, with these verdicts and this policy. */
function judge(verdicts: Partial<Record<Finding['kind'], Finding['verdict']>> = {}, policy = 'p=reject') {
  const dmarc = readDmarc({ kind: 'found', values: [`v=DMARC1; ${policy}`] });
  const findings = KINDS.map((kind) => finding(kind, verdicts[kind] ?? 'pass'));
  const checks = judgeRecords({ domain: 'shop.test', findings, dmarc, dmarcHost: '_dmarc.shop.test' });
  return Object.fromEntries(checks.map((check) => [check.id, check]));
}
const states = (...given: Parameters<typeof judge>) =>
  Object.fromEntries(Object.entries(judge(...given)).map(([id, { state }]) => [id, state]));

const RIGHT = { spf: 'ok', dkim: 'ok', dmarc: 'ok', alignment: 'ok', hosts: 'ok' };

describe('the records of a domain', () => {
  it('are all right', () => expect(states()).toEqual(RIGHT));

  it.each([
    [{ spf: 'fail' }, { spf: 'fault' }],
    [{ dmarc: 'fail' }, { dmarc: 'fault' }],
    [{ dmarc: 'unknown' }, { dmarc: 'unknown' }],
    [{ dkim_standby: 'fail' }, { dkim: 'warning' }],
    [{ tracking: 'fail' }, { hosts: 'warning' }],
    [{ tracking: 'unknown' }, { hosts: 'unknown' }],
    [{ mx: 'fail' }, {}],
    [{ dkim: 'fail' }, { dkim: 'fault', alignment: 'warning' }],
    [{ return_path: 'fail' }, { hosts: 'warning', alignment: 'warning' }],
    [
      { dkim: 'fail', return_path: 'fail' },
      { dkim: 'fault', hosts: 'warning', alignment: 'fault' },
    ],
    [
      { dkim: 'unknown', return_path: 'fail' },
      { dkim: 'unknown', hosts: 'warning', alignment: 'unknown' },
    ],
  ] as const)('with %j are %j', (verdicts, changed) =>
    expect(states(verdicts)).toEqual({ ...RIGHT, ...changed }),
  );

  it('say what to do', () => {
    expect(judge({ spf: 'fail' })['spf']).toMatchObject({
      text: 'At spf.shop.test: no spf.',
      fix: 'publish spf',
    });
    expect(judge({ dkim: 'fail', return_path: 'fail' })['alignment']?.fix).toBe('publish dkim');
    expect(judge({ return_path: 'fail' })['alignment']?.fix).toBe('publish return_path');
  });

  it('warn of a policy that does nothing, and of one that wants strict SPF', () => {
    expect(states({}, 'p=none')).toEqual({ ...RIGHT, dmarc: 'warning' });
    const strict = judge({}, 'p=reject; aspf=s');
    expect(strict['alignment']).toMatchObject({ state: 'warning', fix: expect.stringContaining('aspf=r') });
    expect(states({ dkim: 'fail' }, 'p=reject; aspf=s')['alignment']).toBe('fault');
  });
});
