import { Column, PrimaryColumn } from 'typeorm';

/**
 * The common columns of webhooks and routes: URL, secret, and the state of their calls. Properties have the names of
 * the columns and the public fields, so that a row needs no mapping.
 */
export abstract class EndpointEntity {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  account_id!: string;

  @Column('timestamptz')
  created_at!: Date;

  /** time of the last change of its own fields; counters do not update it */
  @Column('timestamptz')
  updated_at!: Date;

  /** incremented by every change of its own fields, so that concurrent writers cannot overwrite each other */
  @Column('int')
  revision!: number;

  @Column('text')
  name!: string;

  /** with the password masked */
  @Column('text')
  url!: string;

  /** the whole URL, when it has a password */
  @Column('text', { nullable: true })
  sealed_url!: string | null;

  /** the signing secret */
  @Column('text')
  sealed_secret!: string;

  @Column('boolean')
  enabled!: boolean;

  /** bigint, returned as text by the driver */
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

  /** the reason of the last call's failure; null after a success */
  @Column('text', { nullable: true })
  last_failure!: string | null;

  /** when members were mailed about the failures; null: not since the last success */
  @Column('timestamptz', { nullable: true })
  failing_notified_at!: Date | null;

  /** when the service disabled it after failures; null when its owner did */
  @Column('timestamptz', { nullable: true })
  disabled_at!: Date | null;
}

/** The fields set by requests of the owner; the service sets the others. */
export type OwnFields<E extends EndpointEntity> = Omit<
  E,
  Exclude<keyof EndpointEntity, 'name' | 'url' | 'enabled'>
>;
