import type { AccountId, DomainId } from '@postmesh/contracts';
import type { SendingDomain } from '../database/entities.js';

/** A domain right after its creation, for tests of rules. */
export function exampleDomain(given: Partial<SendingDomain> = {}): SendingDomain {
  const now = new Date('2026-01-05T08:00:00.000Z');
  return {
    id: '01980f3e-0000-7c11-a2d4-0c5f9e6b8a00' as DomainId,
    accountId: '0b6f4a52-7c1d-4e0f-8a39-61b2c7d8e9f0' as AccountId,
    domain: 'mail.example.com',
    createdAt: now,
    updatedAt: now,
    dnsMode: 'managed',
    state: 'pending',
    stateSince: now,
    failures: 0,
    contested: false,
    lastDnsCheckAt: null,
    nextCheckAt: now,
    subdomains: { tracking: null, return_path: null, subscription: null, media: null },
    domainToken: 'tok3n',
    activeSlot: 1,
    dkimSelector: null,
    lockedSelector: null,
    nextSelector: null,
    unlocked: [],
    dkimRotationIntervalDays: null,
    rotationStartedAt: null,
    rotationVerifiedAt: null,
    rotationSwitchedAt: null,
    rotationNextAt: now,
    rotationReason: null,
    publishedSpf: null,
    dsnRecipient: null,
    sendingType: 'transactional',
    pausedAt: null,
    pauseReason: null,
    revision: 1,
    records: {},
    publicKeys: { 1: 'AAAA', 2: 'BBBB' },
    ...given,
  };
}
