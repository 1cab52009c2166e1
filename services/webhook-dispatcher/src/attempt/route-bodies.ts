import { Inject, Injectable } from '@nestjs/common';
import { BudgetExhausted, ByteBudget, type Release } from '@postmesh/concurrency';
import { Transient } from '@postmesh/contracts';
import type { RouteBodyRequest } from '@postmesh/messages-contract';
import type { RouteTarget } from '@postmesh/webhooks-contract';
import { InternalClient } from '@postmesh/http';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import type { RouteMessage } from '../queue/webhook-deliveries.table.js';

// The size reserved before a body arrives: a message has 20 MiB at most, and its attachments grow by a third (§16.8).
const MAX_BODY_BYTES = 31_457_280;
const MAX_WAITING = 100;
const MAX_WAIT_MS = 5_000;

/** The body of one attempt, held until its release. */
export interface HeldBody {
  readonly bytes: Buffer;
  readonly release: Release;
}

/** No memory is available for the body now. */
export class BodiesBusy extends Error {}

/**
 * The JSON texts posted to routes, read from the messages service at each attempt (spec 2-messages §19.4). A text can
 * have tens of megabytes: the setting bounds the bytes held, half of them for one account at most.
 */
@Injectable()
export class RouteBodies {
  private readonly budget: ByteBudget;

  constructor(
    private readonly client: InternalClient,
    @Inject(SETTINGS) { routeBytes }: Settings,
  ) {
    this.budget = new ByteBudget({
      maxBytes: routeBytes,
      maxPerKey: routeBytes / 2,
      freeBelow: 1,
      maxWaiting: MAX_WAITING,
      maxWaitMs: MAX_WAIT_MS,
    });
  }

  /** The bytes held now. */
  get bytes(): number {
    return this.budget.bytes;
  }

  /**
   * @returns undefined when the content is gone
   * @throws BodiesBusy when no memory becomes available soon; Transient when the messages service is unavailable
   */
  async hold(accountId: string, target: RouteTarget, message: RouteMessage): Promise<HeldBody | undefined> {
    const release = await this.enter(accountId);
    try {
      const bytes = await this.ask(target, message);
      if (bytes === undefined) {
        release();
        return undefined;
      }
      release.keepOnly(bytes.length);
      return { bytes, release };
    } catch (error) {
      release();
      throw error;
    }
  }

  private async enter(accountId: string): Promise<Release> {
    try {
      return await this.budget.enter(accountId, MAX_BODY_BYTES);
    } catch (error) {
      if (error instanceof BudgetExhausted) throw new BodiesBusy(error.message);
      throw error;
    }
  }

  private async ask(target: RouteTarget, message: RouteMessage): Promise<Buffer | undefined> {
    const { route_id, attachments, headers, strip_replies } = target;
    const { message_id, to, occurred_at } = message;
    const body: RouteBodyRequest = {
      route_id,
      message_id,
      to,
      occurred_at,
      attachments,
      headers,
      strip_replies,
    };
    const request = { method: 'POST' as const, path: '/internal/route-bodies', body };
    const response = await this.client.send('messages', request);
    if (response.status === 404) return undefined;
    if (response.status < 200 || response.status > 299) {
      throw new Transient(`messages responded ${response.status} to POST /internal/route-bodies`);
    }
    return response.bytes;
  }
}
