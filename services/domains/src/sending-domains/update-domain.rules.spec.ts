import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { ApiError } from '@postmesh/contracts';
import type { RecordVerdict, SendingDomain } from '../database/entities.js';
import { serviceHosts, type RecordsContext } from '../dns/dns-records.rules.js';
import { exampleDomain } from '../testing/example-domain.js';
import {
  changeDomain,
  forgetChangedRecords,
  readChange,
  UpdateDomainBody,
  type UpdateDomainInput,
} from './update-domain.rules.js';

const NONE = { tracking: null, return_path: null, subscription: null, media: null };
const records: RecordsContext = {
  hosts: serviceHosts('svc.test'),
  account: { selector: null, subdomains: NONE },
};
const now = new Date('2026-02-01T00:00:00.000Z');
const [key, otherKey] = [1, 2].map(() =>
  generateKeyPairSync('rsa', {
    modulusLength: 1024,
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  }),
) as [{ privateKey: string; publicKey: Buffer }, { privateKey: string; publicKey: Buffer }];

const seen = (lockedLabel: string | null = null): RecordVerdict => ({
  propagated: true,
  lockedLabel,
  problem: null,
});
const example = (given: Partial<SendingDomain> = {}): SendingDomain => exampleDomain(given);
const verified = (given: Partial<SendingDomain> = {}) =>
  example({
    state: 'valid',
    lockedSelector: 'managed',
    records: { spf: seen(), dkim: seen(), dkim_standby: seen(), tracking: seen('track') },
    ...given,
  });
const manual = (given: Partial<SendingDomain> = {}) =>
  verified({
    dnsMode: 'manual',
    publicKeys: { 1: key.publicKey.toString('base64') },
    records: { dkim: seen() },
    ...given,
  });

function change(before: SendingDomain, input: UpdateDomainInput, partner = true, context = records) {
  return changeDomain(before, readChange(UpdateDomainBody.parse(input), partner), {
    partner,
    records: context,
    now,
  });
}

const answer = (run: () => unknown): [number, string] | undefined => {
  try {
    run();
    return undefined;
  } catch (error) {
    const { status, message } = error as ApiError;
    return [status, message];
  }
};

describe('§11.3 PUT: an absent, null or equal value changes nothing', () => {
  it.each<[string, SendingDomain, UpdateDomainInput]>([
    ['nothing', verified(), {}],
    [
      'null in every field that accepts it',
      verified({ dkimSelector: 'managed', dkimRotationIntervalDays: 30, dsnRecipient: 'a@b.test' }),
      {
        dkim_private_key: null,
        tracking_subdomain: null,
        return_path_subdomain: null,
        subscription_subdomain: null,
        media_subdomain: null,
        dkim_rotation_interval_days: null,
        dkim_selector: null,
        dsn_recipient: null,
      },
    ],
    [
      'the current values of locked fields',
      verified({
        subdomains: { ...NONE, tracking: 'track' },
        dkimSelector: 'managed',
        sendingType: 'marketing',
      }),
      { tracking_subdomain: ' TRACK ', dkim_selector: 'Managed', sending_type: 'marketing' },
    ],
    [
      'empty where it is empty',
      verified(),
      { tracking_subdomain: '', dkim_selector: ' ', dsn_recipient: '' },
    ],
    ['a key that is in use', manual(), { dkim_private_key: key.privateKey }],
    [
      'a key that waits to be seen',
      manual({ publicKeys: { 1: 'old', 2: key.publicKey.toString('base64') } }),
      { dkim_private_key: key.privateKey },
    ],
    [
      'a selector during a rotation',
      verified({ dkimSelector: 'x', rotationStartedAt: now }),
      { dkim_selector: 'x' },
    ],
  ])('%s', (_, before, input) => {
    expect(change(before, input)).toBeUndefined();
    // no partner any more: it may still send its current values
    expect(change(before, input, false)).toBeUndefined();
  });

  it('labels that collide with those of the account do not refuse other fields', () => {
    const account = { selector: null, subdomains: { ...NONE, tracking: 'rp' } };
    const given = change(example(), { sending_type: 'marketing' }, true, { ...records, account });
    expect(given?.after.sendingType).toBe('marketing');
  });
});

describe('§11.3 PUT: changes', () => {
  it('fields alone, trimmed and in lower case', () => {
    const before = example({ subdomains: { ...NONE, media: 'pics' } });
    const given = change(before, {
      tracking_subdomain: ' Click ',
      media_subdomain: '',
      dkim_rotation_interval_days: 30,
      dkim_selector: 'Mine',
      sending_type: 'marketing',
      dsn_recipient: ' Bounces@Ops.Test ',
    });
    expect(given).toEqual({
      newKey: undefined,
      after: {
        ...before,
        subdomains: { ...NONE, tracking: 'click' },
        dkimRotationIntervalDays: 30,
        rotationNextAt: now,
        dkimSelector: 'mine',
        sendingType: 'marketing',
        dsnRecipient: 'bounces@ops.test',
        updatedAt: now,
        revision: 2,
      },
    });
    const cleared = change(given!.after, { dkim_selector: '', dsn_recipient: '' }, false);
    expect(cleared?.after).toMatchObject({ dkimSelector: null, dsnRecipient: null, revision: 3 });
  });

  it('records whose required form changes count as not seen', () => {
    const before = example({ records: { dkim_standby: seen(), spf: seen() } });
    const { after } = change(before, { dkim_selector: 'mine' })!;
    const given = forgetChangedRecords(before, after, records);
    expect([given.forgotten, Object.keys(given.after.records)]).toEqual([['dkim_standby'], ['spf']]);
  });

  it('a new key is returned to be stored, and its record counts as not seen', () => {
    const before = manual();
    const { newKey, after } = change(before, { dkim_private_key: otherKey.privateKey })!;
    const publicKey = otherKey.publicKey.toString('base64');
    expect(newKey).toMatchObject({ publicKey, bits: 1024 });
    expect(after.activeSlot).toBe(1);
    const stored = { ...after, publicKeys: { ...before.publicKeys, 2: publicKey } };
    expect(forgetChangedRecords(before, stored, records).forgotten).toEqual(['dkim']);
  });
});

const locked = (field: string) => [400, `${field} is locked after DNS verification, contact support`];
const partners = (field: string) => [403, `${field} is only available to partner accounts`];

describe('§11.3 PUT: API errors', () => {
  it.each<[string, SendingDomain, UpdateDomainInput, unknown[], boolean?]>([
    ['a locked subdomain', verified(), { tracking_subdomain: 'click' }, locked('tracking_subdomain')],
    [
      'a locked subdomain back to its default',
      verified({ subdomains: { ...NONE, tracking: 'track' } }),
      { tracking_subdomain: '' },
      locked('tracking_subdomain'),
    ],
    ['a locked selector', verified(), { dkim_selector: 'mine' }, locked('dkim_selector')],
    [
      'a locked selector cleared',
      verified({ lockedSelector: 'mine', dkimSelector: 'mine' }),
      { dkim_selector: '' },
      locked('dkim_selector'),
    ],
    [
      'the selector during a rotation',
      verified({ rotationStartedAt: now }),
      { dkim_selector: 'mine' },
      [400, 'dkim_selector cannot change while a DKIM rotation is in progress'],
    ],
    [
      'an interval with manual DNS',
      manual(),
      { dkim_rotation_interval_days: 30 },
      [400, 'dkim_rotation_interval_days is only for domains with managed DNS'],
    ],
    ['a selector of no partner', example(), { dkim_selector: 'mine' }, partners('dkim_selector'), false],
    ['a bad selector of no partner', example(), { dkim_selector: 'a.b' }, partners('dkim_selector'), false],
    [
      'a key of no partner',
      manual(),
      { dkim_private_key: otherKey.privateKey },
      partners('dkim_private_key'),
      false,
    ],
    ['a bad key of no partner', manual(), { dkim_private_key: 'x' }, partners('dkim_private_key'), false],
    [
      'a key with managed DNS',
      verified(),
      { dkim_private_key: key.privateKey },
      [400, 'dkim_private_key is only for domains with manual DNS'],
    ],
    [
      'a bad key',
      manual(),
      { dkim_private_key: '' },
      [400, 'invalid dkim_private_key (an RSA key of at least 1024 bits, in PEM)'],
    ],
    [
      'a bad label',
      example(),
      { media_subdomain: 'a.b' },
      [400, 'media_subdomain must be one DNS label of 1-63 letters, digits and hyphens'],
    ],
    [
      'a selector of 63 characters',
      example(),
      { dkim_selector: 'x'.repeat(63) },
      [400, 'dkim_selector must be one DNS label of 1-62 letters, digits and hyphens'],
    ],
    [
      'two names that are one',
      verified(),
      { media_subdomain: 'track' },
      [400, 'the subdomains of a domain must differ from each other'],
    ],
    [
      'no address',
      example(),
      { dsn_recipient: 'nobody' },
      [400, 'dsn_recipient is not a valid email address'],
    ],
    [
      'of several the first of the table',
      verified(),
      { dkim_selector: 'mine', tracking_subdomain: 'click', sending_type: 'marketing' },
      locked('tracking_subdomain'),
    ],
  ])('%s', (_, before, input, refused, partner = true) => {
    expect(answer(() => change(before, input, partner))).toEqual(refused);
  });
});

describe('§11.6 rule 1: a lock that an operator has removed', () => {
  it('lets a subdomain change once; its record is not seen yet', () => {
    const before = verified({ unlocked: ['tracking_subdomain', 'media_subdomain'] });
    const { after } = change(before, { tracking_subdomain: 'click' })!;
    expect(after).toMatchObject({ subdomains: { tracking: 'click' }, unlocked: ['media_subdomain'] });
    expect(after.records.tracking).toBeUndefined();
  });

  it('keeps the old selector signing until the record of the new one is seen', () => {
    const before = verified({ unlocked: ['dkim_selector'] });
    const { after } = change(before, { dkim_selector: 'mine' })!;
    expect(after).toMatchObject({
      dkimSelector: 'mine',
      lockedSelector: 'managed',
      nextSelector: 'mine',
      unlocked: [],
      nextCheckAt: now,
    });
    expect(forgetChangedRecords(before, after, records).forgotten).toEqual(['dkim', 'dkim_standby']);
    // not seen yet, so not locked: a typing error can be corrected, and withdrawn
    expect(change(after, { dkim_selector: 'mind' })?.after.nextSelector).toBe('mind');
    const back = change(after, { dkim_selector: 'managed' })!.after;
    expect(back).toMatchObject({ dkimSelector: 'managed', nextSelector: null });
    expect(answer(() => change(back, { dkim_selector: 'mine' }))).toEqual(locked('dkim_selector'));
  });
});
