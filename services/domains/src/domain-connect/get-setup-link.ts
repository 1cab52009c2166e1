import { Inject, Injectable } from '@nestjs/common';
import type { AccountId } from '@postmesh/contracts';
import { SETTINGS } from '@postmesh/service-host';
import { SettingsError, type Settings } from '@postmesh/settings';
import type { SendingDomain } from '../database/entities.js';
import type { DnsRecord } from '../dns/dns-records.rules.js';
import { GetDomain } from '../sending-domains/get-domain.js';
import type { DomainResult } from '../sending-domains/domain.resource.js';
import { applyLink, type Signer } from './apply-link.rules.js';
import { DnsHosts, type DnsHost } from './dns-hosts.js';
import type { NO_LINK, SetupLink } from './setup-link.schema.js';
import { missingRecords, parametersOf, type MissingRecords } from './template.rules.js';

type Reason = (typeof NO_LINK)[number];

/** The ids and the key of the operator's template. @throws SettingsError for one without the other */
export function signerOf(settings: Settings): Signer | undefined {
  const { domainConnectProviderId: providerId, domainConnectKey: key } = settings;
  if (providerId === undefined && key === undefined) return undefined;
  if (providerId === undefined || key === undefined)
    throw new SettingsError(
      'POSTMESH_DOMAIN_CONNECT_PROVIDER_ID and POSTMESH_DOMAIN_CONNECT_KEY need each other',
    );
  return {
    providerId,
    serviceId: settings.domainConnectServiceId,
    key,
    keyLabel: settings.domainConnectKeyLabel,
  };
}

/** A link by which the DNS host of a domain publishes its missing records, after the consent of its owner. */
@Injectable()
export class GetSetupLink {
  private readonly signer: Signer | undefined;

  constructor(
    private readonly getDomain: GetDomain,
    private readonly hosts: DnsHosts,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {
    this.signer = signerOf(settings);
  }

  /** @throws ApiError 404 */
  async execute(command: { accountId: AccountId; domain: string }): Promise<SetupLink> {
    const result = await this.getDomain.execute(command);
    const missing = missingRecords(result.domain, result.records, this.settings.serviceZone);
    const without = (reason: Reason, host?: DnsHost) => toSetupLink(result.domain, missing, { reason, host });
    if (!this.signer) return without('not_configured');
    if (missing.byTemplate.length === 0) return without('nothing_missing');
    const found = await this.hosts.of(command.domain);
    if (found.kind === 'none') return without('no_dns_host');
    if (found.kind === 'unreachable') return without('dns_host_unreachable');
    const { host } = found;
    const { urlSyncUx } = host;
    const isKnown = urlSyncUx === undefined ? false : await this.hosts.hasTemplate(host, this.signer);
    if (isKnown === undefined) return without('dns_host_unreachable', host);
    if (!isKnown || urlSyncUx === undefined) return without('template_unknown', host);
    const url = applyLink(urlSyncUx, this.signer, this.parameters(result, host, missing.byTemplate));
    return toSetupLink(result.domain, missing, { url, host });
  }

  private parameters(
    { domain, records }: DomainResult,
    { zone }: DnsHost,
    missing: readonly DnsRecord[],
  ): Record<string, string> {
    const { baseUrl } = this.settings;
    return {
      domain: zone,
      host: domain.domain === zone ? '' : domain.domain.slice(0, -(zone.length + 1)),
      // the page looks at DNS itself: coming back says nothing
      redirect_uri: baseUrl === undefined ? '' : `${baseUrl}/console/domains/${domain.domain}`,
      ...parametersOf(domain, records, missing),
    };
  }
}

function toSetupLink(
  { domain, records }: SendingDomain,
  { byTemplate, byHand }: MissingRecords,
  { url, reason, host }: { url?: string; reason?: Reason; host?: DnsHost | undefined },
): SetupLink {
  const shown = ({ label, type, host: name, content }: DnsRecord) => ({ label, type, host: name, content });
  return {
    object: 'setup_link',
    domain,
    url: url ?? null,
    reason: reason ?? null,
    dns_host: host?.name ?? null,
    zone: host?.zone ?? null,
    changes: byTemplate.map((record) => ({
      ...shown(record),
      found: records[record.kind]?.problem?.found ?? null,
    })),
    by_hand: byHand.map(shown),
  };
}
