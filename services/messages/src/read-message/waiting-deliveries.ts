import { Injectable } from '@nestjs/common';
import { WaitingDelivery } from '@postmesh/delivery-worker-contract';
import { InternalClient } from '@postmesh/http';
import { isTerminal } from '../message-status/message-status.rules.js';
import { waitingFor, type Wait } from './message-timeline.rules.js';
import type { StoredMessage } from './messages.repository.js';

/** Why messages wait, as the delivery worker has it now. */
@Injectable()
export class WaitingDeliveries {
  constructor(private readonly client: InternalClient) {}

  async waitOf(message: StoredMessage, now: Date): Promise<Wait> {
    if (isTerminal(message.status)) return { cause: null, reason: null, until: null };
    return waitingFor(message, await this.find(message.id), now);
  }

  /** @returns undefined when there is no delivery (yet, or any more), null when the worker is unavailable */
  private find(id: string): Promise<WaitingDelivery | undefined | null> {
    const path = `/operator/deliveries/${id}`;
    return this.client.request('delivery-worker', { method: 'GET', path }, WaitingDelivery).catch(() => null);
  }
}
