import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { InboundRecipients } from '@postmesh/webhooks-contract';
import { DomainId, MAX_SMTP_RECIPIENTS, Transient } from '@postmesh/contracts';
import type { InboundRecipient } from '@postmesh/messages-contract';
import { InternalClient } from '@postmesh/http';
import { readReportAddress, readVerp } from '@postmesh/mail-format';
import { reportAddressKeys } from '@postmesh/secrets';
import { SETTINGS } from '@postmesh/service-host';
import { feedbackLoopAddress, reportHost, type Settings } from '@postmesh/settings';
import { BatchedLookups } from '../../cache-lease/batched-lookups.js';

type Owners = Extract<InboundRecipient, { owners: unknown }>['owners'];

// Long enough for a burst of mail to one address, short enough that a disabled route ends soon. Recipients without a
// route are not cached: a new route works at once.
const KNOWN_MS = 2_000;
const MAX_KNOWN = 10_000;

/** Finds the targets of inbound recipients (spec 2-messages §16 rule 1, spec 1-platform §13.4). */
@Injectable()
export class InboundRecipientDirectory {
  private readonly known = new LRUCache<string, Owners>({ max: MAX_KNOWN, ttl: KNOWN_MS });
  private readonly lookups: BatchedLookups<string, Owners>;
  private readonly keys: ReturnType<typeof reportAddressKeys>;
  private readonly feedbackLoop: string;
  private readonly reportHost: string;

  constructor(
    private readonly client: InternalClient,
    @Inject(SETTINGS) settings: Settings,
  ) {
    this.keys = reportAddressKeys(settings.secretKeys);
    this.feedbackLoop = feedbackLoopAddress(settings);
    this.reportHost = reportHost(settings);
    this.lookups = new BatchedLookups({
      ask: (recipients) => this.ask(recipients),
      maxPerBatch: MAX_SMTP_RECIPIENTS,
      what: 'inbound recipients',
    });
  }

  /**
   * The token of a bounce or feedback address authenticates it, whatever its host.
   * @param address normalised @returns undefined for an unknown recipient
   * @throws Transient when the look-up in the webhooks service fails
   */
  async find(address: string): Promise<InboundRecipient | undefined> {
    for (const report of ['bounce', 'feedback'] as const) {
      const record = readVerp(address, this.keys, report);
      if (record !== undefined) return { address, report, record_id: record };
    }
    if (address === this.feedbackLoop) return { address, report: 'feedback-loop' };
    const domain = readReportAddress(address, this.reportHost);
    if (domain !== undefined) return { address, domain_report: true, domain_id: DomainId.parse(domain) };
    const known = this.known.get(address);
    const owners = known ?? (await this.lookups.ask(address, address, true));
    if (owners.length === 0) return undefined;
    if (!known) this.known.set(address, owners);
    return { address, owners };
  }

  private async ask(recipients: readonly string[]): Promise<Owners[]> {
    const request = { method: 'POST' as const, path: '/internal/inbound-recipients', body: { recipients } };
    const response = await this.client.request('webhooks', request, InboundRecipients);
    if (!response) throw new Transient('the webhooks service does not know inbound recipients');
    const owners = new Map(response.recipients.map((one) => [one.recipient, one.owners]));
    return recipients.map((recipient) => owners.get(recipient) ?? []);
  }
}
