import { Inject, Injectable } from '@nestjs/common';
import {
  callInDialect,
  hasCounterpart,
  WEBHOOK_DIALECT_NAMES,
  type SignedCall,
  type WebhookDialectName,
} from '@postmesh/webhook-dialects';
import type { RouteTarget, WebhookTarget } from '@postmesh/webhooks-contract';
import type { Logger } from '@postmesh/observability';
import { SecretBox } from '@postmesh/secrets';
import { LOGGER } from '@postmesh/service-host';
import { idsOf, type WebhookDelivery } from '../queue/webhook-deliveries.table.js';
import { EndpointTargets } from './endpoint-targets.js';
import { BodiesBusy, RouteBodies } from './route-bodies.js';
import { signedHeaders } from './signature.rules.js';

// An unreadable secret is an operator's task (POSTMESH_SECRET_KEYS); the delivery waits and is not lost.
const UNREADABLE_WAIT_MS = 60_000;
const UNASKED_WAIT_MS = 15_000;
const BUSY_WAIT_MS = 1_000;

/** The URL of one attempt, with headers and body for its time. */
export interface PreparedCall {
  readonly kind: 'ready';
  readonly url: string;
  readonly sign: (at: Date) => SignedCall;
  /** releases the memory of the body */
  readonly release: () => void;
}

/** `gone`: the target no longer exists, the delivery ends. `later`: no call is possible now, for an internal reason. */
export type Preparation =
  PreparedCall | { kind: 'gone'; why: string } | { kind: 'later'; reason: string; waitMs: number };

/**
 * Determines the target, secret and body of a delivery, again at each attempt: URL, secret and dialect are those of the
 * webhooks service, and the body of a route is read from the messages service (decision 18).
 */
@Injectable()
export class CallPreparation {
  constructor(
    private readonly targets: EndpointTargets,
    private readonly bodies: RouteBodies,
    private readonly secrets: SecretBox,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async prepare(delivery: WebhookDelivery): Promise<Preparation> {
    return delivery.target === 'route' ? this.prepareRoute(delivery) : this.prepareWebhook(delivery);
  }

  private async prepareWebhook(delivery: WebhookDelivery): Promise<Preparation> {
    const target = await this.find(delivery, () => this.targets.findWebhook(delivery.endpointId));
    if ('kind' in target) return target;
    if (target.dialect) return this.prepareInDialect(delivery, target.url, target.dialect);
    const secret = this.openSecret(delivery, target);
    if (secret === undefined) return UNREADABLE;
    return ready(delivery, target.url, secret);
  }

  /** Its body is stored in our form and translated at each attempt, so a change of the dialect reaches what waits. */
  private prepareInDialect(
    delivery: WebhookDelivery,
    url: string,
    { name, sealed_secret: sealed }: NonNullable<WebhookTarget['dialect']>,
  ): Preparation {
    if (!isKnown(name)) return later('its dialect is one of a newer release', UNREADABLE_WAIT_MS);
    if (!hasCounterpart(name, JSON.parse(delivery.body))) {
      return { kind: 'gone', why: 'its dialect has no such event' };
    }
    const about = `webhook-dialect/${delivery.endpointId}`;
    const secret = sealed === null ? '' : this.open(delivery, sealed, about);
    if (secret === undefined) return UNREADABLE;
    const { body, webhookMessageId: messageId } = delivery;
    const sign = (at: Date) => callInDialect(name, { body, messageId, at, secret });
    return { kind: 'ready', url, sign, release: () => {} };
  }

  private async prepareRoute(delivery: WebhookDelivery): Promise<Preparation> {
    const target = await this.find(delivery, () => this.targets.findRoute(delivery.endpointId));
    if ('kind' in target) return target;
    const secret = this.openSecret(delivery, target);
    if (secret === undefined) return UNREADABLE;
    // the sample of a trigger is stored with its body
    if (delivery.body !== '') return ready(delivery, target.url, secret);
    const held = await this.holdBody(delivery, target);
    if ('kind' in held) return held;
    const sign = inOurForm(delivery.webhookMessageId, secret, held.bytes);
    return { kind: 'ready', url: target.url, sign, release: held.release };
  }

  private async find<T>(delivery: WebhookDelivery, ask: () => Promise<T | undefined>) {
    try {
      return (await ask()) ?? ({ kind: 'gone', why: 'disabled or deleted' } as const);
    } catch (error) {
      this.logger.warn(
        { event: 'webhook.target_unknown', err: error, ...idsOf(delivery) },
        'reading the webhook target failed, will retry',
      );
      return later('its URL cannot be asked for', UNASKED_WAIT_MS);
    }
  }

  private async holdBody(delivery: WebhookDelivery, target: RouteTarget) {
    // a delivery stored by a release without routes
    if (delivery.route === null) return { kind: 'gone', why: 'its message is not known' } as const;
    try {
      const held = await this.bodies.hold(delivery.accountId, target, delivery.route);
      return held ?? ({ kind: 'gone', why: 'the content of its message is gone' } as const);
    } catch (error) {
      if (error instanceof BodiesBusy) return later('waits for memory', BUSY_WAIT_MS);
      this.logger.warn(
        { event: 'webhook.body_unknown', err: error, ...idsOf(delivery) },
        'reading the body of a route call failed, will retry',
      );
      return later('its body cannot be asked for', UNASKED_WAIT_MS);
    }
  }

  private openSecret(
    delivery: WebhookDelivery,
    { sealed_secret }: Pick<WebhookTarget, 'sealed_secret'>,
  ): string | undefined {
    return this.open(delivery, sealed_secret, `${delivery.target}/${delivery.endpointId}`);
  }

  private open(delivery: WebhookDelivery, sealed: string, about: string): string | undefined {
    try {
      return this.secrets.open(sealed, about);
    } catch (error) {
      this.logger.error(
        { event: 'webhook.secret_unreadable', err: error, ...idsOf(delivery) },
        'webhook secret is unreadable, will retry',
      );
      return undefined;
    }
  }
}

const isKnown = (name: string): name is WebhookDialectName =>
  WEBHOOK_DIALECT_NAMES.some((known) => known === name);

const inOurForm =
  (messageId: string, secret: string, body: Buffer) =>
  (at: Date): SignedCall => ({ headers: signedHeaders({ messageId, at, body, secret }), body });

const ready = ({ webhookMessageId, body }: WebhookDelivery, url: string, secret: string): PreparedCall => ({
  kind: 'ready',
  url,
  sign: inOurForm(webhookMessageId, secret, Buffer.from(body)),
  release: () => {},
});
const later = (reason: string, waitMs: number) => ({ kind: 'later', reason, waitMs }) as const;
const UNREADABLE = later('its signing secret cannot be read', UNREADABLE_WAIT_MS);
