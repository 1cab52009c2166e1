import { randomUUID } from 'node:crypto';
import { Column, Entity, PrimaryColumn, type EntityManager } from 'typeorm';
import type { AccountId, MemberRole, UserId } from '@postmesh/contracts';

@Entity('users')
export class UserEntity {
  @PrimaryColumn('uuid') id!: UserId;
  /** normalised */
  @Column('text') email!: string;
  @Column('text') name!: string;
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt!: Date;
  @Column({ type: 'timestamptz', name: 'updated_at', precision: 3 }) updatedAt!: Date;
}

@Entity('members')
export class MemberEntity {
  @PrimaryColumn('uuid', { name: 'account_id' }) accountId!: AccountId;
  @PrimaryColumn('uuid', { name: 'user_id' }) userId!: UserId;
  @Column('text') role!: MemberRole;
  /** made or taken over by a group at the OpenID Connect provider, and ends with it (decision 123) */
  @Column('boolean', { name: 'from_group', default: false }) fromGroup!: boolean;
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt!: Date;
  @Column({ type: 'timestamptz', name: 'updated_at', precision: 3 }) updatedAt!: Date;
}

/** Random: a time in the id would reveal that an address was known before, in another account. */
const newUserId = () => randomUUID() as UserId;

/**
 * The user with this (normalised) address, created when there is none. Concurrent calls for one address create one
 * user.
 */
export async function findOrCreateUser(
  manager: EntityManager,
  { email, name }: { email: string; name: string },
): Promise<{ user: UserEntity; isNew: boolean }> {
  const created: unknown[] = await manager.query(
    `insert into users (id, email, name, created_at, updated_at) values ($1, $2, $3, $4, $4)
     on conflict (email) do nothing returning id`,
    [newUserId(), email, name, new Date()],
  );
  const user = await manager.findOneByOrFail(UserEntity, { email });
  return { user, isNew: created.length > 0 };
}
