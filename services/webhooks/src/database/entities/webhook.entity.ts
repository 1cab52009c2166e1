import { Column, Entity, PrimaryColumn } from 'typeorm';

export type WebhookScope = 'global' | 'scoped';

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

  @Column('text')
  url!: string;

  /** the signing secret, encrypted, bound to `webhook/<id>` */
  @Column('text')
  sealed_secret!: string;

  @Column('boolean')
  enabled!: boolean;

  @Column('boolean')
  on_reception!: boolean;

  @Column('boolean')
  on_delivered!: boolean;

  @Column('boolean')
  on_transient_error!: boolean;

  @Column('boolean')
  on_failed!: boolean;

  @Column('boolean')
  on_bounced!: boolean;

  @Column('boolean')
  on_suppressed!: boolean;

  @Column('boolean')
  on_opened!: boolean;

  @Column('boolean')
  on_clicked!: boolean;

  @Column('boolean')
  on_suppression_created!: boolean;

  @Column('boolean')
  on_dns_error!: boolean;

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
}
