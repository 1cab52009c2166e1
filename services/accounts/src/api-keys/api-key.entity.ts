import { Column, Entity, JoinColumn, ManyToOne, OneToMany, PrimaryColumn } from 'typeorm';
import type { AccountId, ApiKeyId, DomainId, UserId } from '@postmesh/contracts';
import type { PepperedColumn } from '@postmesh/secrets';

@Entity('api_keys')
export class ApiKeyEntity {
  @PrimaryColumn('uuid') id!: ApiKeyId;
  @Column('uuid', { name: 'account_id' }) accountId!: AccountId;
  @Column('text') label!: string;
  @Column('text', { name: 'public_key' }) publicKey!: string;
  @Column('bytea', { name: 'secret_hash', select: false }) secretHash!: Buffer;
  /** id of the key of its hash; null: made by a release that did not store it, and not used since */
  @Column('text', { name: 'pepper_id', select: false, nullable: true }) pepperId!: string | null;
  /** canonical CIDR blocks in the order they were given */
  @Column('text', { name: 'ip_allow_list', array: true }) ipAllowList!: string[];
  /** the user on whose behalf the key was made; null: no user, such as for keys of the operator */
  @Column('uuid', { name: 'created_by', nullable: true }) createdBy!: UserId | null;
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt!: Date;
  @Column({ type: 'timestamptz', name: 'updated_at', precision: 3 }) updatedAt!: Date;
  @Column({ type: 'timestamptz', name: 'last_used_at', precision: 3, nullable: true })
  lastUsedAt!: Date | null;
  @OneToMany(() => ApiKeyScopeEntity, (scope) => scope.key)
  scopes!: ApiKeyScopeEntity[];
}

/** Rehashed when they are used (KeyLookup). */
export const PEPPERED_API_KEYS: PepperedColumn = {
  kind: 'api-keys',
  table: 'api_keys',
  hashColumn: 'secret_hash',
  keyIdColumn: 'pepper_id',
};

@Entity('api_key_scopes')
export class ApiKeyScopeEntity {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid', { name: 'api_key_id' }) apiKeyId!: ApiKeyId;
  @ManyToOne(() => ApiKeyEntity, (key) => key.scopes)
  @JoinColumn({ name: 'api_key_id' })
  key?: ApiKeyEntity;

  /** grant order */
  @Column('smallint') position!: number;
  /** canonical: `messages:send:{example.com}` */
  @Column('text') scope!: string;
  @Column('uuid', { name: 'domain_id', nullable: true }) domainId!: DomainId | null;
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt!: Date;
  @Column({ type: 'timestamptz', name: 'updated_at', precision: 3 }) updatedAt!: Date;
}
