import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { SealedColumn } from '@postmesh/secrets';

/** A rotation of the secret keys encrypts signing secrets anew. */
export const SEALED_ROUTE_SECRETS: SealedColumn = {
  kind: 'route-secrets',
  table: 'routes',
  primaryKey: { id: 'uuid' },
  column: 'sealed_secret',
  about: (id) => `route/${id}`,
};

/** Properties are named as the columns and the public fields are, so that a row needs no translation. */
@Entity('routes')
export class RouteEntity {
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

  /** the signing secret, sealed about `route/<id>` */
  @Column('text')
  sealed_secret!: string;

  /** `<local pattern>@<domain>`; empty takes every address of the account */
  @Column('text')
  recipient!: string;

  /** of `recipient`; null when that is empty */
  @Column('text', { nullable: true })
  recipient_domain!: string | null;

  /** the domain as it was when the recipient was set or the route enabled: one that is added anew is another */
  @Column('uuid', { nullable: true })
  recipient_domain_id!: string | null;

  @Column('boolean')
  attachments!: boolean;

  @Column('boolean')
  headers!: boolean;

  @Column('boolean')
  group_by_message_id!: boolean;

  @Column('boolean')
  strip_replies!: boolean;

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
