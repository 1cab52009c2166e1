import { Inject, Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, Repository } from 'typeorm';
import { z } from 'zod';
import { ApiError, normaliseDomain, type AccountId } from '@postmesh/contracts';
import { parseEmailAddress } from '@postmesh/mail-format';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { AccountSettingsRow, type DnsMode } from '../database/entities.js';
import { labelsDiffer, type RecordsContext, serviceHosts } from '../dns/dns-records.rules.js';

/** Settings in force for the domains of one account, with defaults. */
export interface AccountSettings {
  dnsMode: DnsMode;
  domainLimit: number;
  /** a valid return-path CNAME counts as SPF (spec 1-platform §11.4 rule 3) */
  returnPathSatisfiesSpf: boolean;
  /** days for which a key of a domain with managed DNS signs, unless the domain has an interval of its own */
  dkimRotationDays: number;
  /** recipient of bounce reports, unless the domain has a value of its own (spec 2-messages §15.6) */
  dsnRecipient: string | null;
  /** the names in the records of its domains */
  records: RecordsContext;
}

const label = (maxLength: number) =>
  z
    .string()
    .regex(/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/)
    .max(maxLength)
    .nullable();
const address = z
  .string()
  .transform((text, context) => {
    const parsed = parseEmailAddress(text);
    if (parsed.ok) return parsed.address.address;
    context.addIssue({ code: 'custom', message: 'is no email address' });
    return z.NEVER;
  })
  .nullable();
const host = z
  .string()
  .transform((text, context) => {
    const name = normaliseDomain(text);
    if (name === undefined) context.addIssue({ code: 'custom', message: 'is no host name' });
    return name ?? z.NEVER;
  })
  .nullable();

/** Settings of an operator for the domains of one account; null = the installation's default again. */
export const AccountSettingsBody = z
  .object({
    dns_mode: z.enum(['managed', 'manual']).nullable(),
    domain_limit: z.number().int().min(0).max(1_000_000).nullable(),
    return_path_satisfies_spf: z.boolean(),
    dkim_selector: label(62),
    dkim_rotation_days: z.number().int().min(1).max(365).nullable(),
    dsn_recipient: address,
    tracking_subdomain: label(63),
    return_path_subdomain: label(63),
    subscription_subdomain: label(63),
    media_subdomain: label(63),
    spf_host: host,
    return_path_host: host,
    tracking_host: host,
    mx_host: host,
  })
  .partial();
export type AccountSettingsBody = z.infer<typeof AccountSettingsBody>;

/** The operator's settings for the domains of accounts. */
@Injectable()
export class AccountSettingsStore {
  constructor(
    @InjectRepository(AccountSettingsRow) private readonly rows: Repository<AccountSettingsRow>,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async of(accountId: AccountId): Promise<AccountSettings> {
    return this.effective(await this.rows.findOneBy({ accountId }));
  }

  /** @param accountIds all accounts when left out */
  async ofMany(accountIds?: readonly AccountId[]): Promise<(accountId: AccountId) => AccountSettings> {
    const where = accountIds === undefined ? {} : { accountId: In([...new Set(accountIds)]) };
    const rows = await this.rows.findBy(where);
    const changed = new Map(rows.map((row) => [row.accountId, this.effective(row)]));
    const usual = this.effective(null);
    return (accountId) => changed.get(accountId) ?? usual;
  }

  /**
   * @param body absent fields stay unchanged
   * @throws ApiError 400 where two of the four hosts of its domains would be one
   */
  async change(accountId: AccountId, body: AccountSettingsBody): Promise<AccountSettings> {
    const row = { accountId, ...columnsOf(body), updatedAt: new Date() };
    return this.rows.manager.transaction(async (tx) => {
      await tx.upsert(AccountSettingsRow, row, ['accountId']);
      const settings = this.effective(await tx.findOneBy(AccountSettingsRow, { accountId }));
      if (!labelsDiffer({ subdomains: DEFAULT_LABELS, records: {} }, settings.records.account))
        throw labelsCollide();
      return settings;
    });
  }

  private effective(row: AccountSettingsRow | null): AccountSettings {
    const { dnsMode, domainLimit, dkimRotationDays, serviceZone } = this.settings;
    return {
      dnsMode: row?.dnsMode ?? dnsMode,
      domainLimit: row?.domainLimit ?? domainLimit,
      returnPathSatisfiesSpf: row?.returnPathSatisfiesSpf ?? false,
      dkimRotationDays: row?.dkimRotationDays ?? dkimRotationDays,
      dsnRecipient: row?.dsnRecipient ?? null,
      records: {
        hosts: serviceHosts(serviceZone, row?.hosts),
        account: { selector: row?.dkimSelector ?? null, subdomains: row?.subdomains ?? DEFAULT_LABELS },
      },
    };
  }
}

const labelsCollide = () =>
  new ApiError(
    400,
    'the subdomains of an account must differ from each other and from the defaults in force',
  );

const DEFAULT_LABELS = { tracking: null, return_path: null, subscription: null, media: null };

/** Undefined stays undefined, so that an upsert does not write it. */
const columnsOf = (body: AccountSettingsBody) => ({
  dnsMode: body.dns_mode,
  domainLimit: body.domain_limit,
  returnPathSatisfiesSpf: body.return_path_satisfies_spf,
  dkimSelector: body.dkim_selector,
  dkimRotationDays: body.dkim_rotation_days,
  dsnRecipient: body.dsn_recipient,
  subdomains: {
    tracking: body.tracking_subdomain,
    return_path: body.return_path_subdomain,
    subscription: body.subscription_subdomain,
    media: body.media_subdomain,
  },
  hosts: {
    spf: body.spf_host,
    return_path: body.return_path_host,
    tracking: body.tracking_host,
    mx: body.mx_host,
  },
});
