import type { SealedColumn } from '@postmesh/secrets';
import type { WebhookDialectName } from '@postmesh/webhook-dialects';
import { Column, Entity } from 'typeorm';
import type { EventFlag } from '../webhook-events/webhook-events.table.js';
import { EndpointEntity } from './endpoint.entity.js';

export type WebhookScope = 'global' | 'scoped';

@Entity('webhooks')
export class WebhookEntity extends EndpointEntity {
  /** the enabled events; a newer release may have added events unknown to this one */
  @Column('text', { array: true })
  events!: EventFlag[];

  @Column('text')
  scope!: WebhookScope;

  /** normalised; empty for a global webhook */
  @Column('text', { array: true })
  domains!: string[];

  /** the form of its calls; null is our own. A newer release may have added dialects unknown to this one. */
  @Column('text', { nullable: true })
  dialect!: WebhookDialectName | null;

  /** the secret of the dialect; null where it has none */
  @Column('text', { nullable: true })
  sealed_dialect_secret!: string | null;
}

export const DIALECT_SECRETS: SealedColumn = {
  kind: 'webhook-dialect-secrets',
  table: 'webhooks',
  primaryKey: { id: 'uuid' },
  column: 'sealed_dialect_secret',
  about: (id) => `webhook-dialect/${id}`,
};

/** The fields of a webhook that the contract's requests do not have. */
export type DialectFields = Pick<WebhookEntity, 'dialect' | 'sealed_dialect_secret'>;
export const NO_DIALECT: DialectFields = { dialect: null, sealed_dialect_secret: null };
