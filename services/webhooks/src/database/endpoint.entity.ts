import { Column, PrimaryColumn } from 'typeorm';

/**
 * The columns that webhooks and routes have in common: URL, secret, and what is known of their calls. Properties are named as
 * the columns and the public fields are, so that a row needs no translation.
 */
export abstract class EndpointEntity {
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

  /** the whole URL, where it has a password */
  @Column('text', { nullable: true })
  sealed_url!: string | null;

  /** the signing secret */
  @Column('text')
  sealed_secret!: string;

  @Column('boolean')
  enabled!: boolean;

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

/** The fields that follow from requests of the owner; the service sets the others. */
export type OwnFields<E extends EndpointEntity> = Omit<
  E,
  Exclude<keyof EndpointEntity, 'name' | 'url' | 'enabled'>
>;
