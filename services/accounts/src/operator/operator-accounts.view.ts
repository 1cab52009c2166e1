import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { DataSource, In, Repository } from 'typeorm';
import { ApiErrors, type AccountId } from '@postmesh/contracts';
import { pageSql, toPage, type PageQuery, type PageRow, type Sql } from '@postmesh/http';
import { AccountEntity } from '../account/account.entity.js';
import { accountState } from '../account/account-state.rules.js';
import { accountResource } from '../account/account.schema.js';
import { entityPage } from '../database/entity-page.js';
import { UserEntity } from '../members/people.js';

const MEMBERS = `select member.user_id as id, member.created_at, member.role, person.email, person.name,
    member.user_id = account.owner_id as is_owner
  from members member
  join users person on person.id = member.user_id
  join accounts account on account.id = member.account_id
  where member.account_id = $1`;

const COUNTS = `select (select count(*)::int from members where account_id = $1) as member_count,
  (select count(*)::int from accounts where parent_account_id = $1 and deleted_at is null) as sub_account_count,
  (select count(*)::int from api_keys where account_id = $1) as api_key_count`;

/** Reads accounts for operators, also deleted ones. */
@Injectable()
export class OperatorAccountsView {
  constructor(
    @InjectRepository(AccountEntity) private readonly accounts: Repository<AccountEntity>,
    @InjectRepository(UserEntity) private readonly users: Repository<UserEntity>,
    private readonly dataSource: DataSource,
  ) {}

  async page(list: Sql, page: PageQuery) {
    const { data, ...rest } = await entityPage(this.accounts, { list, page, relations: { parent: true } });
    return { ...rest, data: await this.shown(data.map(({ entity }) => entity)) };
  }

  /** An account with its members and counts. @throws ApiError 404 `account not found` */
  async show(id: AccountId) {
    const [found, [counts]] = await Promise.all([
      this.accounts.find({ where: { id }, relations: { parent: true } }),
      this.dataSource.query<Record<string, number>[]>(COUNTS, [id]),
    ]);
    const [account] = await this.shown(found);
    if (!account) throw ApiErrors.notFound('account');
    return { ...account, ...counts };
  }

  async members(accountId: AccountId, page: PageQuery) {
    const sql = pageSql({ text: MEMBERS, parameters: [accountId] }, page);
    const rows: (MemberRow & PageRow)[] = await this.dataSource.query(sql.text, [...sql.parameters]);
    return toPage(rows, page, operatorMember);
  }

  private async shown(accounts: readonly AccountEntity[]) {
    const ownerIds = [...new Set(accounts.map(({ ownerId }) => ownerId))];
    const owners = await this.users.findBy({ id: In(ownerIds) });
    const emailOf = new Map(owners.map(({ id, email }) => [id, email]));
    return accounts.map((account) => operatorAccount(account, emailOf.get(account.ownerId) ?? ''));
  }
}

/** An account in the operator interface. */
function operatorAccount(account: AccountEntity, ownerEmail: string) {
  const { parent } = account;
  // a sub-account has the flag of its parent (spec 1-platform §10.1)
  const top = parent ?? account;
  return {
    ...accountResource(account),
    owner_email: ownerEmail,
    state: accountState(account, parent),
    suspended_at: account.suspendedAt?.toISOString() ?? null,
    suspended_by: account.suspendedBy,
    suspension_reason: account.suspensionReason,
    blocked_at: account.blockedAt?.toISOString() ?? null,
    block_reason: account.blockReason,
    deleted_at: account.deletedAt?.toISOString() ?? null,
    platform_partner: top.platformPartner,
    monthly_credit: account.monthlyCredit,
    // messages that a family may send together in a month (§10.4 rule 7); null = no cap
    credit_pool: top.monthlyCredit > 0 ? { account_id: top.id, monthly_credit: top.monthlyCredit } : null,
    rate_limits: account.rateLimits,
  };
}

interface MemberRow {
  id: string;
  email: string;
  name: string;
  role: string;
  created_at: Date;
  is_owner: boolean;
}

/** A member in the operator interface: with address and name, which the API does not show. */
const operatorMember = (row: MemberRow) => ({
  user_id: row.id,
  email: row.email,
  name: row.name,
  role: row.role,
  owner: row.is_owner,
  created_at: row.created_at.toISOString(),
});
