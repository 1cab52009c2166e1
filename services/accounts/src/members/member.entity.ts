import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { AccountId, UserId } from '@postmesh/contracts';

/** Roles of people in a dashboard; API keys have scopes instead (spec 1-platform §8). */
export const MEMBER_ROLES = ['Administrator', 'Developer', 'Analyst', 'Billing Manager'] as const;
export type MemberRole = (typeof MEMBER_ROLES)[number];

@Entity('members')
export class MemberEntity {
  @PrimaryColumn('uuid', { name: 'account_id' })
  accountId!: AccountId;

  @PrimaryColumn('uuid', { name: 'user_id' })
  userId!: UserId;

  @Column('text')
  role!: MemberRole;

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 })
  createdAt!: Date;

  @Column({ type: 'timestamptz', name: 'updated_at', precision: 3 })
  updatedAt!: Date;
}
