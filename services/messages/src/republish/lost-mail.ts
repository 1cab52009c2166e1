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

/** Compares the open messages of this service with the deliveries of the delivery worker. */
@Injectable()
export class LostMail {
  constructor(
    private readonly messages: OpenMessages,
    private readonly client: InternalClient,
    private readonly domains: DomainDirectory,
  ) {}

  /**
   * @param retell whether the worker is to publish again the outcomes of deliveries that it no longer has
   * @returns the events of messages that it never had, to be republished; the ids of messages that have ended there,
   * and those of outcomes that it publishes again
   * @throws Transient when the delivery worker is unavailable
   */
  async find(open: readonly OpenMessage[], retell: boolean): Promise<Found> {
    const deliveries = open.map(({ id, sendRequestId }) => ({ id, send_request_id: sendRequestId }));
    const answer = await this.client.request(
      'delivery-worker',
      { method: 'POST', path: '/internal/deliveries/reconcile', body: { deliveries, retell } },
      ReconciledDeliveries,
    );
    if (!answer) throw new Transient('the delivery worker is not ready to compare messages');
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
