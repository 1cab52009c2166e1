import { accountNotFound, type AccountRef } from '../account/accounts.repository.js';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, Repository } from 'typeorm';
import type { AccountId } from '@postmesh/contracts';
import type { Page, PageQuery } from '@postmesh/http';
import { AccountEntity } from '../account/account.entity.js';
import { entityPage, presentPage } from '../database/entity-page.js';
import { MemberEntity } from '../members/people.js';
import type { SubAccount } from './sub-account.schema.js';

const CHILDREN = `select child.id, child.created_at,
    (select count(*)::int from members member where member.account_id = child.id) as member_count
  from accounts child where child.parent_account_id = $1 and child.deleted_at is null`;

@Injectable()
export class SubAccountsRepository {
  constructor(
    @InjectRepository(AccountEntity) private readonly accounts: Repository<AccountEntity>,
    @InjectRepository(MemberEntity) private readonly members: Repository<MemberEntity>,
  ) {}

  async page(parentId: AccountId, page: PageQuery): Promise<Page<SubAccount>> {
    const list = { text: CHILDREN, parameters: [parentId] };
    const which = { list, page, relations: { parent: true } };
    const children = await entityPage<AccountEntity, { member_count: number }>(this.accounts, which);
    return presentPage(children, ({ entity, member_count }) => ({
      account: entity,
      memberCount: member_count,
    }));
  }

  /** @throws ApiError 404 */
  async get(ref: AccountRef): Promise<SubAccount> {
    const where = { id: ref.id, deletedAt: IsNull(), ...(ref.parentId && { parentAccountId: ref.parentId }) };
    const [[account], memberCount] = await Promise.all([
      this.accounts.find({ where, relations: { parent: true } }),
      this.members.countBy({ accountId: ref.id }),
    ]);
    if (!account) throw accountNotFound(ref);
    return { account, memberCount };
  }

  /** Every child that is not deleted, oldest first. */
  names(parentId: AccountId): Promise<Pick<AccountEntity, 'id' | 'name'>[]> {
    return this.accounts.find({
      select: { id: true, name: true },
      where: { parentAccountId: parentId, deletedAt: IsNull() },
      order: { createdAt: 'ASC', id: 'ASC' },
    });
  }
}
