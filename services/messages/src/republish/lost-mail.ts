import { Injectable } from '@nestjs/common';
import { ReconciledDeliveries } from '@postmesh/delivery-worker-contract';
import { Transient, type EventEnvelope } from '@postmesh/contracts';
import { InternalClient } from '@postmesh/http';
import { DomainDirectory } from '@postmesh/domains-contract';
import { acceptedEvent, type AnnouncedRow } from '../accept/send-request.rules.js';
import { OpenMessages, type OpenMessage } from './open-messages.js';

export interface Found {
  events: EventEnvelope[];
  ended: string[];
  retold: string[];
}

/** Compares the messages that are open here with what the delivery worker has of them. */
@Injectable()
export class LostMail {
  constructor(
    private readonly messages: OpenMessages,
    private readonly client: InternalClient,
    private readonly domains: DomainDirectory,
  ) {}

  /**
   * @param retell whether it is to tell again how those ended that have no delivery any more
   * @returns the events of what it never had, to be published again; the ids of what has ended there, and of those that
   * it tells again
   * @throws Transient when the delivery worker cannot be asked
   */
  async find(open: readonly OpenMessage[], retell: boolean): Promise<Found> {
    const deliveries = open.map(({ id, sendRequestId }) => ({ id, send_request_id: sendRequestId }));
    const answer = await this.client.request(
      'delivery-worker',
      { method: 'POST', path: '/internal/deliveries/reconcile', body: { deliveries, retell } },
      ReconciledDeliveries,
    );
    if (!answer) throw new Transient('the delivery worker does not say yet what it has');
    const rows = answer.unknown.length > 0 ? await this.messages.announced(answer.unknown) : [];
    const events = await Promise.all(
      rows.map(async (row) => acceptedEvent(row, row.recipients, await this.returnPathHost(row))),
    );
    return { events, ended: answer.ended, retold: answer.retold };
  }

  private async returnPathHost({ accountId, domain }: AnnouncedRow): Promise<string | null> {
    const facts = await this.domains.find(accountId, domain).catch(() => undefined);
    return facts?.return_path_host ?? null;
  }
}
