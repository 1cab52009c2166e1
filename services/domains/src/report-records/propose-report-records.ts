import { Inject, Injectable } from '@nestjs/common';
import type { AccountId } from '@postmesh/contracts';
import { reportAddress } from '@postmesh/mail-format';
import { SETTINGS } from '@postmesh/service-host';
import { reportHost, type Settings } from '@postmesh/settings';
import { DnsBudget } from '../dns/dns-budget.js';
import { organisationalDomain } from '../dns/dns-records.rules.js';
import { DNS_RESOLVER, type DnsResolver } from '../dns/dns-resolver.port.js';
import { GetDomain } from '../sending-domains/get-domain.js';
import { dmarcRecord, tlsRecord } from './report-records.rules.js';
import type { ReportRecords } from './report-records.schema.js';

const BUDGET_MS = 5_000;

/** The records that bring reports of receivers, with what is published now. They are no part of a domain's required records. */
@Injectable()
export class ProposeReportRecords {
  constructor(
    private readonly getDomain: GetDomain,
    @Inject(DNS_RESOLVER) private readonly resolver: DnsResolver,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** @throws ApiError 404 */
  async execute(command: { accountId: AccountId; domain: string }): Promise<ReportRecords> {
    const { domain: found } = await this.getDomain.execute(command);
    const { domain } = found;
    const address = reportAddress(found.id, reportHost(this.settings));
    const above = organisationalDomain(domain);
    const [own, inherited, tls] = await DnsBudget.within(BUDGET_MS, this.resolver, (dns) =>
      Promise.all([
        dns.txt(`_dmarc.${domain}`),
        above === domain ? undefined : dns.txt(`_dmarc.${above}`),
        dns.txt(`_smtp._tls.${domain}`),
      ]),
    );
    const records = [dmarcRecord(domain, address, own, inherited), tlsRecord(domain, address, tls)];
    return {
      object: 'report_records',
      domain,
      address,
      records: records.map((record) => ({ ...record, found: [...record.found] })),
    };
  }
}
