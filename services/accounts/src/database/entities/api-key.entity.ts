import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('api_keys')
export class ApiKeyEntity {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'account_id' })
  accountId!: string;

  @Column('text')
  label!: string;

  @Column('text', { name: 'public_key' })
  publicKey!: string;

  @Column('bytea', { name: 'secret_hash', select: false })
  secretHash!: Buffer;

  /** canonical CIDR blocks in the order they were given */
  @Column('text', { name: 'ip_allow_list', array: true })
  ipAllowList!: string[];

  /** the user on whose behalf the key was made; null: by the operator or another key */
  @Column('uuid', { name: 'created_by', nullable: true })
  createdBy!: string | null;

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 })
  createdAt!: Date;

  @Column({ type: 'timestamptz', name: 'updated_at', precision: 3 })
  updatedAt!: Date;

  @Column({ type: 'timestamptz', name: 'last_used_at', precision: 3, nullable: true })
  lastUsedAt!: Date | null;
}
