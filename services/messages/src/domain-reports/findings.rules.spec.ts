import { describe, expect, it } from 'vitest';
import { findingsOf, sourcesToKnow, type KnownSource, type ReportedSource } from './findings.rules.js';

const source = (given: Partial<ReportedSource>): ReportedSource => ({
  provider: 'outlook',
  source: '203.0.113.9',
  messages: 12,
  aligned: 0,
  forwarded: 0,
  dkimDomain: null,
  dkimResult: null,
  spfDomain: null,
  ...given,
});
const OURS = source({
  source: '192.0.2.10',
  messages: 88,
  aligned: 88,
  dkimDomain: 'shop.test',
  dkimResult: 'pass',
});
const FOREIGN = { isOwn: false, isInSpf: false };
const OWN = { isOwn: true, isInSpf: true };

const find = (given: Partial<ReportedSource>, known: KnownSource) =>
  findingsOf('shop.test', [OURS, source(given)], () => known)[0];

describe('a finding for a domain at a provider', () => {
  it('names the source, and what is wrong with it', () => {
    expect(find({}, FOREIGN)).toEqual({
      provider: 'outlook',
      code: 'not_in_spf',
      source: '203.0.113.9',
      messages: 100,
      failed: 12,
      sentence:
        '12 % of mail at Outlook fails alignment: it comes from 203.0.113.9, which is not one of ours and not in your SPF.',
      fix: 'If 203.0.113.9 sends for you, add it to the SPF record of shop.test and let it sign with DKIM; if not, a policy of p=quarantine or p=reject keeps it out.',
    });
  });

  it.each<[string, Partial<ReportedSource>, KnownSource]>([
    ['own_unsigned', {}, OWN],
    ['own_signature_fails', { dkimDomain: 'mail.shop.test', dkimResult: 'fail' }, OWN],
    ['own_other_domain', { dkimDomain: 'svc.example', dkimResult: 'pass' }, OWN],
    ['signed_by_other', { dkimDomain: 'crm.example', dkimResult: 'pass' }, FOREIGN],
    ['in_spf_only', { spfDomain: 'crm.example' }, { isOwn: false, isInSpf: true }],
    ['unknown_source', {}, { isOwn: false, isInSpf: null }],
    ['unknown_source', { source: 'other' }, FOREIGN],
    ['forwarded', { forwarded: 6 }, FOREIGN],
    ['forwarded', { dkimDomain: 'shop.test', dkimResult: 'fail' }, FOREIGN],
  ])('%s: %o', (code, given, known) => {
    const found = find(given, known);
    expect(found?.code).toBe(code);
    expect(found?.sentence).toMatch(/^12 % of mail at Outlook fails alignment: it comes from [^.]+.*\.$/);
    expect(found?.sentence).not.toMatch(/null|undefined/);
    expect(found?.fix === null).toBe(code === 'forwarded');
  });

  it('is that all is well, where nothing or next to nothing fails', () => {
    expect(find({ aligned: 12 }, FOREIGN)).toMatchObject({
      code: 'aligned',
      sentence: 'All mail at Outlook is aligned.',
    });
    expect(findingsOf('shop.test', [source({ messages: 1_000, aligned: 999 })], () => FOREIGN)).toMatchObject(
      [{ code: 'aligned', failed: 1, sentence: 'More than 99 % of mail at Outlook is aligned.', fix: null }],
    );
  });

  it('is one per provider, of its worst source, the provider with most failures first', () => {
    const sources = [
      source({ provider: 'google', messages: 3 }),
      source({ messages: 10 }),
      source({ source: '203.0.113.10', messages: 20 }),
    ];
    const found = findingsOf('shop.test', sources, () => FOREIGN);
    expect(found.map(({ provider, source: worst }) => [provider, worst])).toEqual([
      ['outlook', '203.0.113.10'],
      ['google', '203.0.113.9'],
    ]);
    expect(found[0]?.sentence).toContain('fails alignment: most of it comes from 203.0.113.10');
    expect(sourcesToKnow(sources)).toEqual(['203.0.113.9', '203.0.113.10']);
  });
});
