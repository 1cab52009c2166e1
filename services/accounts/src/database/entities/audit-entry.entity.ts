import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('audit_entries')
export class AuditEntryEntity {
  @PrimaryColumn('uuid')
  id!: string;

  @Column({ type: 'timestamptz', precision: 3 })
  at!: Date;

  @Column('text', { name: 'actor_kind' })
  actorKind!: 'operator' | 'api-key' | 'system';

  @Column('text', { name: 'actor_id', nullable: true })
  actorId!: string | null;

  /** `account.block`, `api-key.create`, … */
  @Column('text')
  action!: string;

  @Column('uuid', { name: 'account_id', nullable: true })
  accountId!: string | null;

  /** the id of what was changed */
  @Column('text', { name: 'subject_id', nullable: true })
  subjectId!: string | null;

  @Column('jsonb')
  details!: Record<string, unknown>;
}
