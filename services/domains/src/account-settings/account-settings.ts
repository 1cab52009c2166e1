import type { AccountNames } from '../dns-records/effective-names.rules.js';
import type { RecordsContext } from '../dns-records/dns-records.rules.js';
import { serviceHosts, type HostOverrides } from '../dns-records/service-hosts.js';
import type { AccountSettingsEntity } from '../database/entities/account-settings.entity.js';
import type { DnsMode } from '../sending-domain/sending-domain.js';

/** What holds for the domains of one account, defaults filled in. */
export interface AccountSettings {
  dnsMode: DnsMode;
  domainLimit: number;
  /** a valid return-path CNAME counts as SPF (spec 1-platform §11.4 rule 3) */
  returnPathSatisfiesSpf: boolean;
  /** what the records of its domains depend on */
  records: RecordsContext;
}

/** The installation's own, for accounts of which nothing else is said. */
export interface InstallationDefaults {
  dnsMode: DnsMode;
  domainLimit: number;
  serviceZone: string;
}

export function effectiveSettings(
  row: AccountSettingsEntity | undefined,
  defaults: InstallationDefaults,
): AccountSettings {
  return {
    dnsMode: row?.dns_mode ?? defaults.dnsMode,
    domainLimit: row?.domain_limit ?? defaults.domainLimit,
    returnPathSatisfiesSpf: row?.return_path_satisfies_spf ?? false,
    records: { hosts: serviceHosts(defaults.serviceZone, hostsOf(row)), account: namesOf(row) },
  };
}

function hostsOf(row: AccountSettingsEntity | undefined): HostOverrides {
  return {
    ...(row?.spf_host ? { spf: row.spf_host } : {}),
    ...(row?.return_path_host ? { return_path: row.return_path_host } : {}),
    ...(row?.tracking_host ? { tracking: row.tracking_host } : {}),
    ...(row?.mx_host ? { mx: row.mx_host } : {}),
  };
}

function namesOf(row: AccountSettingsEntity | undefined): AccountNames {
  return {
    selector: row?.dkim_selector ?? null,
    subdomains: {
      tracking: row?.tracking_subdomain ?? null,
      return_path: row?.return_path_subdomain ?? null,
      subscription: row?.subscription_subdomain ?? null,
      media: row?.media_subdomain ?? null,
    },
  };
}
