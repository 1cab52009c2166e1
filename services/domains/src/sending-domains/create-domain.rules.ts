import { z } from 'zod';
import { normaliseDomain, type AccountId, type DomainId } from '@postmesh/contracts';
import type { SendingDomain } from '../database/entities.js';
import type { KeyPair } from '../dkim-keys/key-pairs.js';
import { nextCheckAt } from '../dns/dns-state.rules.js';
import { isPublicSuffix, labelsDiffer } from '../dns/dns-records.rules.js';
import type { AccountSettings } from '../domain-store/account-settings.js';
import { DomainErrors } from './domain-errors.js';
import { readKey, readSelector, readSubdomain } from './domain-fields.rules.js';

const subdomain = z
  .string()
  .nullish()
  .meta({ description: 'One DNS label of 1-63 letters, digits and hyphens; empty: the default.' });

/** Only types; the allowed values are checked where the account is known. */
export const CreateDomainBody = z.object({
  domain: z
    .string()
    .meta({ format: 'idn-hostname', description: 'A fully qualified name, in any spelling.' }),
  dkim_private_key: z.string().nullish().meta({
    description: 'PEM, RSA of 1024 bits and more. Never shown again. For partner accounts only.',
  }),
  tracking_subdomain: subdomain,
  return_path_subdomain: subdomain,
  subscription_subdomain: subdomain,
  media_subdomain: subdomain,
  dkim_rotation_interval_days: z
    .number()
    .int()
    .min(1)
    .max(365)
    .nullish()
    .meta({ description: 'For domains with managed DNS.' }),
  dkim_selector: z
    .string()
    .nullish()
    .meta({ description: 'One DNS label of 1-62 letters, digits and hyphens. For partner accounts only.' }),
  // null and "" are refused here, unlike elsewhere (spec 1-platform §11.3)
  sending_type: z.enum(['transactional', 'marketing']).optional(),
});
export type CreateDomainInput = z.infer<typeof CreateDomainBody>;

/** The requested domain. */
export type DomainDraft = Pick<
  SendingDomain,
  'domain' | 'dnsMode' | 'subdomains' | 'dkimRotationIntervalDays' | 'dkimSelector' | 'sendingType'
> & { ownKey: KeyPair | undefined };

interface DraftContext {
  partner: boolean;
  account: AccountSettings;
  isBanned: (domain: string) => boolean;
}

/**
 * Applies the rules of spec 1-platform §11.3 in the order of its table.
 * @throws ApiError for the first field that breaks one
 */
export function draftDomain(input: CreateDomainInput, context: DraftContext): DomainDraft {
  const { partner, account, isBanned } = context;
  const domain = readName(input.domain, isBanned);
  const ownKey = requestedKey(input.dkim_private_key, partner);
  const subdomains = {
    tracking: readSubdomain('tracking', input.tracking_subdomain ?? ''),
    return_path: readSubdomain('return_path', input.return_path_subdomain ?? ''),
    subscription: readSubdomain('subscription', input.subscription_subdomain ?? ''),
    media: readSubdomain('media', input.media_subdomain ?? ''),
  };
  // we cannot rotate an owner's own key
  const dnsMode = ownKey ? 'manual' : account.dnsMode;
  const dkimRotationIntervalDays = input.dkim_rotation_interval_days ?? null;
  if (!labelsDiffer({ subdomains, records: {} }, account.records.account)) throw DomainErrors.labelsCollide();
  if (dkimRotationIntervalDays !== null && dnsMode === 'manual') throw DomainErrors.managedOnly();
  const dkimSelector = requestedSelector(input.dkim_selector, partner);
  const sendingType = input.sending_type ?? 'transactional';
  return { domain, dnsMode, ownKey, subdomains, dkimRotationIntervalDays, dkimSelector, sendingType };
}

function readName(text: string, isBanned: DraftContext['isBanned']): string {
  const name = normaliseDomain(text);
  if (name === undefined || isPublicSuffix(name)) throw DomainErrors.invalidName();
  if (isBanned(name)) throw DomainErrors.banned();
  return name;
}

/** @throws ApiError 403 for an account that is no partner, before the key is checked */
function requestedKey(pem: string | null | undefined, partner: boolean): KeyPair | undefined {
  if (pem === null || pem === undefined) return undefined;
  if (!partner) throw DomainErrors.partnersOnly('dkim_private_key');
  return readKey(pem, partner);
}

function requestedSelector(text: string | null | undefined, partner: boolean): string | null {
  const selector = readSelector(text ?? '', partner);
  if (selector !== null && !partner) throw DomainErrors.partnersOnly('dkim_selector');
  return selector;
}

interface NewDomain {
  id: DomainId;
  accountId: AccountId;
  domainToken: string;
  publishedSpf: string | null;
  publicKeys: SendingDomain['publicKeys'];
  /** time of the database */
  now: Date;
}

/** The initial state of a domain: nothing verified, nothing locked. */
export function newDomain(
  { ownKey: _ownKey, ...draft }: DomainDraft,
  { now, ...about }: NewDomain,
): SendingDomain {
  return {
    ...draft,
    ...about,
    createdAt: now,
    updatedAt: now,
    state: 'pending',
    stateSince: now,
    failures: 0,
    contested: false,
    lastDnsCheckAt: null,
    nextCheckAt: nextCheckAt({ state: 'pending', since: now, now, chance: 0 }),
    activeSlot: 1,
    lockedSelector: null,
    nextSelector: null,
    unlocked: [],
    rotationStartedAt: null,
    rotationVerifiedAt: null,
    rotationSwitchedAt: null,
    rotationNextAt: now,
    rotationReason: null,
    dsnRecipient: null,
    pausedAt: null,
    pauseReason: null,
    revision: 1,
    records: {},
  };
}
