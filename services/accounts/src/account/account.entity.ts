import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import type { AccountId, UserId } from '@postmesh/contracts';
import type { KnownKey } from '@postmesh/accounts-contract';

// pg reads bigint as text; a credit is at most 10^9
const BIGINT = { to: (value: number) => value, from: (text: string) => Number(text) };

@Entity('accounts')
export class AccountEntity {
  @PrimaryColumn('uuid') id!: AccountId;
  @Column('uuid', { name: 'parent_account_id', nullable: true }) parentAccountId!: AccountId | null;
  /** loaded on request; null for a top-level account */
  @ManyToOne(() => AccountEntity)
  @JoinColumn({ name: 'parent_account_id' })
  parent?: AccountEntity | null;

  @Column('text') name!: string;
  @Column('text') website!: string;
  @Column('text') about!: string;
  @Column('boolean', { name: 'track_opens' }) trackOpens!: boolean;
  @Column('boolean', { name: 'track_clicks' }) trackClicks!: boolean;
  @Column('boolean', { name: 'reject_bad_recipients' }) rejectBadRecipients!: boolean;
  @Column('boolean', { name: 'reject_mistyped_recipients' }) rejectMistypedRecipients!: boolean;
  /** days, 1-30 */
  @Column('smallint', { name: 'message_metadata_retention' }) messageMetadataRetention!: number;
  /** days, 0-30 */
  @Column('smallint', { name: 'message_data_retention' }) messageDataRetention!: number;
  @Column('boolean', { name: 'platform_partner' }) platformPartner!: boolean;
  /** messages per calendar month, for a top-level account with all its sub-accounts; 0 = no cap */
  @Column('bigint', { name: 'monthly_credit', transformer: BIGINT }) monthlyCredit!: number;
  /** set by the operator; null = the limits of the settings */
  @Column('jsonb', { name: 'rate_limits', nullable: true }) rateLimits!: KnownKey['rate_limits'];
  @Column('uuid', { name: 'owner_id' }) ownerId!: UserId;
  @Column({ type: 'timestamptz', name: 'suspended_at', precision: 3, nullable: true })
  suspendedAt!: Date | null;
  @Column('text', { name: 'suspended_by', nullable: true }) suspendedBy!: 'operator' | 'parent' | null;
  @Column('text', { name: 'suspension_reason', nullable: true }) suspensionReason!: string | null;
  /** the parent's suspension while the operator's is in force; it applies again when the operator's ends */
  @Column('jsonb', { name: 'parent_suspension', nullable: true }) parentSuspension!: {
    at: string;
    reason: string;
  } | null;
  @Column({ type: 'timestamptz', name: 'blocked_at', precision: 3, nullable: true }) blockedAt!: Date | null;
  @Column('text', { name: 'block_reason', nullable: true }) blockReason!: string | null;
  @Column({ type: 'timestamptz', name: 'deleted_at', precision: 3, nullable: true }) deletedAt!: Date | null;
  /** grows with every change, so that a late event never overwrites a newer fact */
  @Column('int') revision!: number;
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt!: Date;
  @Column({ type: 'timestamptz', name: 'updated_at', precision: 3 }) updatedAt!: Date;
}

/** The columns that a change may write: all but the identity of an account. */
export type AccountColumns = Omit<
  AccountEntity,
  'id' | 'parentAccountId' | 'parent' | 'revision' | 'createdAt'
>;
