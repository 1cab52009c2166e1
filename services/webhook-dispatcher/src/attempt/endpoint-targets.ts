import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { SingleFlight } from '@postmesh/concurrency';
import {
  RouteTargets,
  WebhookTargets,
  type RouteTarget,
  type WebhookTarget,
} from '@postmesh/webhooks-contract';
import { Transient } from '@postmesh/contracts';
import { InternalClient } from '@postmesh/http';

// The cache is not invalidated: a new URL, a new secret and a deletion take effect after this time at the latest.
const KEEP_MS = 3_000;
const MAX_KEPT = 10_000;
const MAX_ASKED = 500;

/** The URLs and secrets of webhooks and routes, queried from the webhooks service when an attempt begins (ADR 18). */
@Injectable()
export class EndpointTargets {
  private readonly webhooks = new BatchedTargets<WebhookTarget>((ids) => this.askWebhooks(ids));
  private readonly routes = new BatchedTargets<RouteTarget>((ids) => this.askRoutes(ids));

  constructor(private readonly client: InternalClient) {}

  /**
   * @returns undefined when the webhook is disabled or gone
   * @throws Transient when the webhooks service is unavailable
   */
  findWebhook(id: string): Promise<WebhookTarget | undefined> {
    return this.webhooks.find(id);
  }

  /** Like `findWebhook`, for a route. */
  findRoute(id: string): Promise<RouteTarget | undefined> {
    return this.routes.find(id);
  }

  private async askWebhooks(webhookIds: readonly string[]): Promise<ReadonlyMap<string, WebhookTarget>> {
    const body = { webhook_ids: webhookIds };
    const request = { method: 'POST' as const, path: '/internal/webhook-targets', body };
    const found = await this.client.request('webhooks', request, WebhookTargets);
    if (!found) throw new Transient('the webhooks service does not know where webhooks are called');
    return new Map(found.targets.map((target) => [target.webhook_id, target]));
  }

  private async askRoutes(routeIds: readonly string[]): Promise<ReadonlyMap<string, RouteTarget>> {
    const body = { route_ids: routeIds };
    const request = { method: 'POST' as const, path: '/internal/route-targets', body };
    const found = await this.client.request('webhooks', request, RouteTargets);
    if (!found) throw new Transient('the webhooks service does not know where routes are called');
    return new Map(found.targets.map((target) => [target.route_id, target]));
  }
}

/** Queries many targets at once, and caches the answers briefly. */
class BatchedTargets<Target extends object> {
  /** without disabled ones, so that an enabled endpoint gets the very next event */
  private readonly kept = new LRUCache<string, Target>({ max: MAX_KEPT, ttl: KEEP_MS });
  private readonly requests = new SingleFlight<string, Target | undefined>();
  private batch: { ids: string[]; targets: Promise<ReadonlyMap<string, Target>> } | undefined;

  constructor(private readonly ask: (ids: readonly string[]) => Promise<ReadonlyMap<string, Target>>) {}

  async find(id: string): Promise<Target | undefined> {
    return this.kept.get(id) ?? this.requests.run(id, () => this.request(id));
  }

  private async request(id: string): Promise<Target | undefined> {
    if (!this.batch || this.batch.ids.length >= MAX_ASKED) this.batch = this.newBatch();
    this.batch.ids.push(id);
    const target = (await this.batch.targets).get(id);
    if (target) this.kept.set(id, target);
    return target;
  }

  /** Collects requests until the end of this iteration of the event loop. */
  private newBatch() {
    const ids: string[] = [];
    const targets = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      if (this.batch?.ids === ids) this.batch = undefined;
      return this.ask(ids);
    });
    return { ids, targets };
  }
}
