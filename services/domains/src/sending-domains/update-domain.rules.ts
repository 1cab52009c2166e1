import { isBlank } from '@postmesh/contracts';
import { z } from 'zod';
import { parseEmailAddress } from '@postmesh/mail-format';
import {
  type LockableField,
  type SendingDomain,
  type SubdomainLabels,
  SUBDOMAIN_KINDS,
  type DnsRecordKind,
} from '../database/entities.js';
import type { KeyPair } from '../dkim-keys/key-pairs.js';
import { isRotating } from '../dkim-rotation/dkim-rotation.rules.js';
import {
  dnsRecords,
  effectiveSelector,
  labelsDiffer,
  wantedOwnKey,
  type RecordsContext,
} from '../dns/dns-records.rules.js';
import { CreateDomainBody } from './create-domain.rules.js';
import { DomainErrors } from './domain-errors.js';
import { readKey, readSelector, readSubdomain, subdomainField } from './domain-fields.rules.js';

/** Only types, as for a create; null = unchanged. */
export const UpdateDomainBody = CreateDomainBody.omit({ domain: true }).extend({
  dsn_recipient: z.string().nullish().meta({
    description: "The address that gets delivery reports of the domain's mail; empty: the account's default.",
  }),
});
export type UpdateDomainInput = z.infer<typeof UpdateDomainBody>;

/** The requested values, independent of the domain; undefined = unchanged. */
export interface DomainChange {
  ownKey: KeyPair | undefined;
  subdomains: Partial<SubdomainLabels>;
  dkimRotationIntervalDays: number | undefined;
  dkimSelector: string | null | undefined;
  sendingType: SendingDomain['sendingType'] | undefined;
  dsnRecipient: string | null | undefined;
}

const unlessOmitted = <T, R>(given: T | null | undefined, read: (value: T) => R): R | undefined =>
  given === null || given === undefined ? undefined : read(given);

/** @throws ApiError for the first invalid field, in the order of the table */
export function readChange(input: UpdateDomainInput, partner: boolean): DomainChange {
  const label = (kind: keyof SubdomainLabels) =>
    unlessOmitted(input[subdomainField(kind)], (text) => readSubdomain(kind, text));
  return {
    ownKey: unlessOmitted(input.dkim_private_key, (pem) => readKey(pem, partner)),
    subdomains: {
      tracking: label('tracking'),
      return_path: label('return_path'),
      subscription: label('subscription'),
      media: label('media'),
    },
    dkimRotationIntervalDays: input.dkim_rotation_interval_days ?? undefined,
    dkimSelector: unlessOmitted(input.dkim_selector, (text) => readSelector(text, partner)),
    sendingType: input.sending_type,
    dsnRecipient: unlessOmitted(input.dsn_recipient, readDsnRecipient),
  };
}

function readDsnRecipient(text: string): string | null {
  if (isBlank(text)) return null;
  const parsed = parseEmailAddress(text);
  if (!parsed.ok) throw DomainErrors.invalidDsnRecipient();
  return parsed.address.address;
}

export interface ChangeContext {
  partner: boolean;
  records: RecordsContext;
  now: Date;
}

export interface ChangedDomain {
  after: SendingDomain;
  /** to be stored in addition to the one that signs */
  newKey: KeyPair | undefined;
}

/**
 * The domain with all requested changes, or an error and no change. The current value of a field, and the locked
 * value, may always be sent again (spec 1-platform §11.3 PUT).
 * @returns undefined when nothing changes
 * @throws ApiError in the order of the table of a create
 */
export function changeDomain(
  before: SendingDomain,
  change: DomainChange,
  context: ChangeContext,
): ChangedDomain | undefined {
  const newKey = changedKey(before, change, context);
  const fields = {
    ...changedSubdomains(before, change, context),
    ...changedInterval(before, change, context),
    ...changedSelector(before, change, context),
    ...changedPlainly(before, change),
  };
  if (!newKey && Object.keys(fields).length === 0) return undefined;
  const after: SendingDomain = {
    ...before,
    ...fields,
    unlocked: stillUnlocked(before, fields),
    updatedAt: context.now,
    revision: before.revision + 1,
  };
  return { after, newKey };
}

type Fields = Partial<SendingDomain>;

function changedKey(before: SendingDomain, { ownKey }: DomainChange, { partner }: ChangeContext) {
  if (!ownKey || (before.dnsMode === 'manual' && ownKey.publicKey === wantedOwnKey(before))) return undefined;
  if (!partner) throw DomainErrors.partnersOnly('dkim_private_key');
  // a domain keeps its mode (§11.2 rule 1), and with managed DNS the keys are ours
  if (before.dnsMode === 'managed') throw DomainErrors.keyIsManaged();
  return ownKey;
}

function changedSubdomains(
  before: SendingDomain,
  { subdomains: asked }: DomainChange,
  { records: { account } }: ChangeContext,
): Fields {
  const kinds = (Object.keys(asked) as (keyof SubdomainLabels)[]).filter(
    (kind) => asked[kind] !== undefined && asked[kind] !== before.subdomains[kind],
  );
  if (kinds.length === 0) return {};
  const records = { ...before.records };
  for (const kind of kinds) {
    const locked = records[kind]?.lockedLabel ?? null;
    if (locked === null || locked === asked[kind]) continue;
    if (!before.unlocked.includes(subdomainField(kind))) throw DomainErrors.locked(subdomainField(kind));
    // another host: not seen yet, and so not locked
    delete records[kind];
  }
  const given = Object.fromEntries(kinds.map((kind) => [kind, asked[kind]]));
  const subdomains = { ...before.subdomains, ...given };
  if (!labelsDiffer({ subdomains, records }, account)) throw DomainErrors.labelsCollide();
  return { subdomains, records };
}

function changedInterval(
  { dkimRotationIntervalDays: current, dnsMode }: SendingDomain,
  { dkimRotationIntervalDays: asked }: DomainChange,
  { now }: ChangeContext,
): Fields {
  if (asked === undefined || asked === current) return {};
  if (dnsMode === 'manual') throw DomainErrors.managedOnly();
  // a shorter interval may be over already
  return { dkimRotationIntervalDays: asked, rotationNextAt: now };
}

function changedSelector(
  before: SendingDomain,
  { dkimSelector: asked }: DomainChange,
  { partner, records: { account }, now }: ChangeContext,
): Fields {
  if (asked === undefined || asked === before.dkimSelector) return {};
  if (asked !== null && !partner) throw DomainErrors.partnersOnly('dkim_selector');
  if (isRotating(before)) throw DomainErrors.rotating();
  const { lockedSelector: locked } = before;
  const inForce = before.nextSelector ?? locked;
  if (locked === null || asked === inForce) return { dkimSelector: asked };
  const mayChange = before.nextSelector !== null || before.unlocked.includes('dkim_selector');
  if (!mayChange) throw DomainErrors.locked('dkim_selector');
  // signatures must be verifiable meanwhile: the locked one signs until the record of the next one is seen
  const next = effectiveSelector({ lockedSelector: null, dkimSelector: asked }, account);
  return { dkimSelector: asked, nextSelector: next === locked ? null : next, nextCheckAt: now };
}

function changedPlainly(before: SendingDomain, { sendingType, dsnRecipient }: DomainChange): Fields {
  return {
    ...(sendingType === undefined || sendingType === before.sendingType ? {} : { sendingType }),
    ...(dsnRecipient === undefined || dsnRecipient === before.dsnRecipient ? {} : { dsnRecipient }),
  };
}

/** An operator's permission ends with the field's next change. */
function stillUnlocked(before: SendingDomain, fields: Fields): readonly LockableField[] {
  const changes = (field: LockableField): boolean => {
    if (field === 'dkim_selector') return fields.dkimSelector !== undefined;
    const kind = SUBDOMAIN_KINDS.find((one) => subdomainField(one) === field);
    return kind !== undefined && (fields.subdomains ?? before.subdomains)[kind] !== before.subdomains[kind];
  };
  const left = before.unlocked.filter((field) => !changes(field));
  return left.length === before.unlocked.length ? before.unlocked : left;
}

/** Records whose required form changes count as not seen (spec 1-platform §11.3 PUT). */
export function forgetChangedRecords(
  before: SendingDomain,
  after: SendingDomain,
  context: RecordsContext,
): { after: SendingDomain; forgotten: DnsRecordKind[] } {
  const wantedBefore = new Map(dnsRecords(before, context).map((record) => [record.kind, record]));
  const records = { ...after.records };
  for (const { kind, host, content } of dnsRecords(after, context)) {
    const asked = wantedBefore.get(kind);
    if (asked && (asked.host !== host || asked.content !== content)) delete records[kind];
  }
  const forgotten = (Object.keys(before.records) as DnsRecordKind[]).filter(
    (kind) => records[kind] === undefined,
  );
  return { after: { ...after, records }, forgotten };
}
