import { Injectable } from '@nestjs/common';
import { DataSource, In } from 'typeorm';
import { ApiErrors } from '@postmesh/contracts';
import { pageSql, toPage, type PageQuery, type PageRow, type Sql } from '@postmesh/pagination';
import { AccountEntity, UserEntity } from '../database/entities/index.js';
import { operatorAccount, operatorMember, type MemberRow } from './operator-account.resource.js';

const MEMBERS = `select member.user_id as id, member.created_at, member.user_id, member.role, person.email,
    person.name, member.user_id = account.owner_id as is_owner
  from members member
  join users person on person.id = member.user_id
  join accounts account on account.id = member.account_id
  where member.account_id = $1`;

const COUNTS = `select (select count(*)::int from members where account_id = $1) as member_count,
  (select count(*)::int from accounts where parent_account_id = $1 and deleted_at is null) as sub_account_count,
  (select count(*)::int from api_keys where account_id = $1) as api_key_count`;

/** Accounts as operators read them; deleted ones, too. */
@Injectable()
export class OperatorAccountsView {
  constructor(private readonly dataSource: DataSource) {}

  async page(list: Sql, page: PageQuery) {
    const sql = pageSql(list, page);
    const rows: PageRow[] = await this.dataSource.query(sql.text, [...sql.parameters]);
    const shown = await this.presented(rows.map(({ id }) => id));
    return toPage(rows, page, ({ id }) => shown.get(id));
  }

  /** With what belongs to it. @throws ApiError 404 `account not found` */
  async show(accountId: string) {
    const [account, [counts]] = await Promise.all([
      this.presented([accountId]).then((shown) => shown.get(accountId)),
      this.dataSource.query<Record<string, number>[]>(COUNTS, [accountId]),
    ]);
    if (!account) throw ApiErrors.notFound('account');
    return { ...account, ...counts };
  }

  async members(accountId: string, page: PageQuery) {
    const sql = pageSql({ text: MEMBERS, parameters: [accountId] }, page);
    const rows: (MemberRow & PageRow)[] = await this.dataSource.query(sql.text, [...sql.parameters]);
    return toPage(rows, page, operatorMember);
  }

  private async presented(ids: readonly string[]) {
    const { manager } = this.dataSource;
    const accounts = await manager.findBy(AccountEntity, { id: In([...ids]) });
    const parentIds = accounts.flatMap((account) => account.parentAccountId ?? []);
    const ownerIds = accounts.map((account) => account.ownerId);
    const parents = await manager.findBy(AccountEntity, { id: In([...new Set(parentIds)]) });
    const owners = await manager.findBy(UserEntity, { id: In([...new Set(ownerIds)]) });
    const parentOf = new Map(parents.map((parent) => [parent.id, parent]));
    const emailOf = new Map(owners.map((owner) => [owner.id, owner.email]));
    return new Map(
      accounts.map((account) => {
        const parent = parentOf.get(account.parentAccountId ?? '');
        return [
          account.id,
          operatorAccount(account, { parent, ownerEmail: emailOf.get(account.ownerId) ?? '' }),
        ];
      }),
    );
  }
}
