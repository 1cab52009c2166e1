import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { SingleFlight } from '@postmesh/concurrency';
import { Transient, WebhookTargets as Targets, type WebhookTarget } from '@postmesh/contracts';
import { InternalClient } from '@postmesh/internal-http';

// Nothing invalidates it: a new URL, a new secret and a deletion hold at the latest after this time.
const KEEP_MS = 3_000;
const MAX_KEPT = 10_000;
const MAX_ASKED = 500;

/** Where a webhook is called and how it signs, asked of the webhooks service when an attempt begins (ADR 18). */
@Injectable()
export class WebhookTargets {
  /** `target` is undefined when the webhook is disabled or gone */
  private readonly kept = new LRUCache<string, { target: WebhookTarget | undefined }>({
    max: MAX_KEPT,
    ttl: KEEP_MS,
  });
  private readonly requests = new SingleFlight<string, WebhookTarget | undefined>();
  private batch: { ids: string[]; targets: Promise<ReadonlyMap<string, WebhookTarget>> } | undefined;

  constructor(private readonly client: InternalClient) {}

  /**
   * @returns undefined when the webhook is disabled or gone
   * @throws Transient when the webhooks service cannot be asked
   */
  async find(webhookId: string): Promise<WebhookTarget | undefined> {
    const kept = this.kept.get(webhookId);
    return kept ? kept.target : this.requests.run(webhookId, () => this.request(webhookId));
  }

  private async request(webhookId: string): Promise<WebhookTarget | undefined> {
    if (!this.batch || this.batch.ids.length >= MAX_ASKED) this.batch = this.newBatch();
    this.batch.ids.push(webhookId);
    const target = (await this.batch.targets).get(webhookId);
    this.kept.set(webhookId, { target });
    return target;
  }

  /** Takes whoever asks until the end of this turn of the event loop. */
  private newBatch() {
    const ids: string[] = [];
    const targets = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      if (this.batch?.ids === ids) this.batch = undefined;
      return this.ask(ids);
    });
    return { ids, targets };
  }

  private async ask(webhookIds: readonly string[]): Promise<ReadonlyMap<string, WebhookTarget>> {
    const request = {
      method: 'POST' as const,
      path: '/internal/webhook-targets',
      body: { webhook_ids: webhookIds },
    };
    const found = await this.client.request('webhooks', request, Targets);
    if (!found) throw new Transient('the webhooks service does not know where webhooks are called');
    return new Map(found.targets.map((target) => [target.webhook_id, target]));
  }
}
