import { Injectable } from '@nestjs/common';
import { newId } from '@postmesh/contracts';
import type { InboundEnvelope } from '@postmesh/messages-contract';
import { TakeDomainReport, type DomainReportRecipient } from '../domain-reports/take-domain-report.js';
import { HandleReport, type ReportRecipient } from '../reports/handle-report.js';

/** The recipients of a message that are addresses of the service itself: reports about messages, and about domains. */
@Injectable()
export class TakeReports {
  constructor(
    private readonly aboutMessages: HandleReport,
    private readonly aboutDomains: TakeDomainReport,
  ) {}

  /** @returns an id for the reply; undefined when the message has no such recipient */
  async execute(envelope: InboundEnvelope, raw: Buffer): Promise<string | undefined> {
    const messages = envelope.recipients.filter((one): one is ReportRecipient => 'report' in one);
    const domains = envelope.recipients.filter((one): one is DomainReportRecipient => 'domain_report' in one);
    const arrived = { envelope, raw, receivedAt: new Date() };
    if (messages.length > 0) await this.aboutMessages.execute({ recipients: messages, ...arrived });
    if (domains.length > 0) await this.aboutDomains.execute({ recipients: domains, ...arrived });
    const [first] = messages;
    if (first) return 'record_id' in first ? first.record_id : newId();
    return domains.length > 0 ? newId() : undefined;
  }
}
