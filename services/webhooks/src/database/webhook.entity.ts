import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { SealedColumn } from '@postmesh/secrets';
import type { EventFlag } from '../webhook-events/webhook-events.table.js';

export type WebhookScope = 'global' | 'scoped';

/** A rotation of the secret keys encrypts signing secrets anew. */
export const SEALED_WEBHOOK_SECRETS: SealedColumn = {
  kind: 'webhook-secrets',
  table: 'webhooks',
  primaryKey: { id: 'uuid' },
  column: 'sealed_secret',
  about: (id) => `webhook/${id}`,
};

/** Properties are named as the columns and the public fields are, so that a row needs no translation. */
@Entity('webhooks')
export class WebhookEntity {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  account_id!: string;

  @Column('timestamptz')
  created_at!: Date;

  /** when its own fields last changed; counters do not move it */
  @Column('timestamptz')
  updated_at!: Date;

  /** grows with every change of its own fields: two writers cannot overwrite each other unseen */
  @Column('int')
  revision!: number;

  @Column('text')
  name!: string;

  /** without its password */
  @Column('text')
  url!: string;

  /** the whole, where it has one */
  @Column('text', { nullable: true })
  sealed_url!: string | null;

  /** the signing secret, sealed about `webhook/<id>` */
  @Column('text')
  sealed_secret!: string;

  @Column('boolean')
  enabled!: boolean;

  /** the events that are on; a newer release may have written some that this one does not know */
  @Column('text', { array: true })
  events!: EventFlag[];

  @Column('text')
  scope!: WebhookScope;

  /** normalised; empty for a global webhook */
  @Column('text', { array: true })
  domains!: string[];

  /** bigint: the driver gives text */
  @Column('bigint')
  success_count!: string;

  @Column('bigint')
  error_count!: string;

  @Column('int')
  errors_since_last_success!: number;

  @Column('timestamptz', { nullable: true })
  last_request_at!: Date | null;

  /** the first failure after the last success; null when there is none */
  @Column('timestamptz', { nullable: true })
  failing_since!: Date | null;

  /** why the last call failed; null after a success */
  @Column('text', { nullable: true })
  last_failure!: string | null;

  /** members were mailed that it is failing; null: not since the last success */
  @Column('timestamptz', { nullable: true })
  failing_notified_at!: Date | null;

  /** the service disabled it, as it failed for too long; null when its owner did */
  @Column('timestamptz', { nullable: true })
  disabled_at!: Date | null;
}
