import { normaliseDomain } from '@postmesh/contracts';
import type { AccountSettings } from '../account-settings/account-settings.js';
import { nextCheckAt } from '../check-dns/check-schedule.rules.js';
import { readOwnKey, type KeyMaterial } from '../dkim-keys/own-key.rules.js';
import { labelsDiffer } from '../dns-records/effective-names.rules.js';
import { isPublicSuffix } from '../dns-records/organisational-domain.js';
import { DomainErrors } from '../sending-domain/domain-errors.js';
import type { SendingDomain } from '../sending-domain/sending-domain.js';
import type { CreateDomainBody } from './create-domain.schema.js';
import { readSelector, readSubdomain } from './domain-fields.rules.js';

/** A domain as the request wants it. */
export type DomainDraft = Pick<
  SendingDomain,
  | 'domain'
  | 'dns_mode'
  | 'tracking_subdomain'
  | 'return_path_subdomain'
  | 'subscription_subdomain'
  | 'media_subdomain'
  | 'dkim_rotation_interval_days'
  | 'dkim_selector'
  | 'sending_type'
> & { ownKey: KeyMaterial | undefined };

export interface DraftContext {
  partner: boolean;
  account: AccountSettings;
  isBanned: (domain: string) => boolean;
}

/**
 * Applies the rules of spec 1-platform §11.3 in the order of its table.
 * @throws ApiError for the first field that breaks one
 */
export function draftDomain(body: CreateDomainBody, context: DraftContext): DomainDraft {
  const domain = readName(body.domain, context.isBanned);
  const ownKey = readKey(body.dkim_private_key, context.partner);
  const subdomains = readSubdomains(body);
  // a key that its owner made cannot be rotated by us
  const dns_mode = ownKey ? 'manual' : context.account.dnsMode;
  const interval = body.dkim_rotation_interval_days ?? null;
  if (!labelsDiffer({ ...subdomains, records: {} }, context.account.records.account)) {
    throw DomainErrors.labelsCollide();
  }
  if (interval !== null && dns_mode === 'manual') throw DomainErrors.managedOnly();
  return {
    domain,
    dns_mode,
    ownKey,
    ...subdomains,
    dkim_rotation_interval_days: interval,
    dkim_selector: readSelector(body.dkim_selector, context.partner),
    sending_type: body.sending_type ?? 'transactional',
  };
}

function readName(text: string, isBanned: DraftContext['isBanned']): string {
  const name = normaliseDomain(text);
  if (name === undefined || isPublicSuffix(name)) throw DomainErrors.invalidName();
  if (isBanned(name)) throw DomainErrors.banned();
  return name;
}

function readKey(pem: string | null | undefined, partner: boolean): KeyMaterial | undefined {
  if (pem === null || pem === undefined) return undefined;
  if (!partner) throw DomainErrors.partnersOnly('dkim_private_key');
  const key = readOwnKey(pem);
  if (!key) throw DomainErrors.invalidKey();
  return key;
}

function readSubdomains(body: CreateDomainBody) {
  return {
    tracking_subdomain: readSubdomain('tracking_subdomain', body.tracking_subdomain),
    return_path_subdomain: readSubdomain('return_path_subdomain', body.return_path_subdomain),
    subscription_subdomain: readSubdomain('subscription_subdomain', body.subscription_subdomain),
    media_subdomain: readSubdomain('media_subdomain', body.media_subdomain),
  };
}

/** The domain as it begins: nothing verified, nothing locked. */
export function newDomain(
  draft: DomainDraft,
  about: { id: string; accountId: string; token: string; publishedSpf: string | null; now: Date },
): SendingDomain {
  const { ownKey: _kept_apart, ...fields } = draft;
  const { now } = about;
  return {
    ...fields,
    id: about.id,
    account_id: about.accountId,
    created_at: now,
    updated_at: now,
    state: 'pending',
    state_since: now,
    failures: 0,
    contested: false,
    last_dns_check_at: null,
    next_check_at: nextCheckAt({ state: 'pending', since: now, now, chance: 0 }),
    domain_token: about.token,
    active_slot: 1,
    locked_selector: null,
    published_spf: about.publishedSpf,
    dsn_recipient: null,
    paused_at: null,
    pause_reason: null,
    revision: 1,
    records: {},
    public_keys: {},
  };
}
