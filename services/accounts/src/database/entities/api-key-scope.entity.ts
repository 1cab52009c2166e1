import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('api_key_scopes')
export class ApiKeyScopeEntity {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'api_key_id' })
  apiKeyId!: string;

  /** grant order */
  @Column('smallint')
  position!: number;

  /** canonical: `messages:send:{example.com}` */
  @Column('text')
  scope!: string;

  @Column('uuid', { name: 'domain_id', nullable: true })
  domainId!: string | null;

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 })
  createdAt!: Date;

  @Column({ type: 'timestamptz', name: 'updated_at', precision: 3 })
  updatedAt!: Date;
}
