import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { newId } from '@postmesh/contracts';
import { MemberEntity, UserEntity } from '../database/entities/index.js';

@Injectable()
export class MembersRepository {
  /** Oldest first. */
  list(manager: EntityManager, accountId: string): Promise<MemberEntity[]> {
    return manager.find(MemberEntity, { where: { accountId }, order: { createdAt: 'ASC', userId: 'ASC' } });
  }

  count(manager: EntityManager, accountId: string): Promise<number> {
    return manager.countBy(MemberEntity, { accountId });
  }

  async find(manager: EntityManager, accountId: string, userId: string): Promise<MemberEntity | undefined> {
    return (await manager.findOneBy(MemberEntity, { accountId, userId })) ?? undefined;
  }

  /**
   * The user with this (normalised) address, made when there is none: also when somebody else makes the same one
   * at this moment, there is one in the end.
   */
  async findOrCreateUser(
    manager: EntityManager,
    given: { email: string; name: string },
    now: Date,
  ): Promise<{ user: UserEntity; isNew: boolean }> {
    const created: unknown[] = await manager.query(
      `insert into users (id, email, name, created_at, updated_at) values ($1, $2, $3, $4, $4)
       on conflict (email) do nothing returning id`,
      [newId(), given.email, given.name, now],
    );
    const user = await manager.findOneByOrFail(UserEntity, { email: given.email });
    return { user, isNew: created.length > 0 };
  }

  async insert(manager: EntityManager, member: MemberEntity): Promise<void> {
    await manager.insert(MemberEntity, member);
  }

  async changeRole(
    manager: EntityManager,
    { accountId, userId, role, updatedAt }: MemberEntity,
  ): Promise<void> {
    await manager.update(MemberEntity, { accountId, userId }, { role, updatedAt });
  }

  async remove(manager: EntityManager, { accountId, userId }: MemberEntity): Promise<void> {
    await manager.delete(MemberEntity, { accountId, userId });
  }
}
