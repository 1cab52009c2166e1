import { newId } from '@postmesh/contracts';
import type { Settings } from '@postmesh/settings';
import type { AccountEntity } from '../database/entities/index.js';

/** What a new account is told; everything else is a default. */
export type GivenAccount = Pick<
  AccountEntity,
  'parentAccountId' | 'name' | 'website' | 'platformPartner' | 'monthlyCredit' | 'ownerId'
>;

type Defaults = Pick<Settings, 'retentionMetadataDays' | 'retentionDataDays'>;

/** An account as it begins (spec 1-platform §7): active, with the defaults of every new account. */
export function newAccount(given: GivenAccount, defaults: Defaults, now: Date): AccountEntity {
  return {
    ...given,
    id: newId(),
    about: '',
    trackOpens: false,
    trackClicks: false,
    rejectBadRecipients: false,
    rejectMistypedRecipients: false,
    messageMetadataRetention: defaults.retentionMetadataDays,
    messageDataRetention: defaults.retentionDataDays,
    rateLimits: null,
    suspendedAt: null,
    suspendedBy: null,
    suspensionReason: null,
    parentSuspension: null,
    blockedAt: null,
    blockReason: null,
    deletedAt: null,
    revision: 1,
    createdAt: now,
    updatedAt: now,
  };
}
