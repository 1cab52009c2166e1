import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ApiErrors } from '@postmesh/contracts';
import { pageSql, type PageQuery, type PageRow } from '@postmesh/pagination';
import type { SubAccountRow } from './sub-account.resource.js';

/** Which child of whom. */
export interface ChildOf {
  readonly parentId: string;
  readonly childId: string;
}

const CHILDREN = `select child.id, child.parent_account_id, child.created_at, child.name, child.website,
    child.monthly_credit, child.suspended_at, child.blocked_at, child.deleted_at,
    parent.suspended_at as parent_suspended_at, parent.blocked_at as parent_blocked_at,
    parent.deleted_at as parent_deleted_at,
    (select count(*)::int from members member where member.account_id = child.id) as member_count
  from accounts child join accounts parent on parent.id = child.parent_account_id
  where child.parent_account_id = $1 and child.deleted_at is null`;

@Injectable()
export class SubAccountsRepository {
  async page(
    manager: EntityManager,
    parentId: string,
    page: PageQuery,
  ): Promise<(SubAccountRow & PageRow)[]> {
    const { text, parameters } = pageSql({ text: CHILDREN, parameters: [parentId] }, page);
    return manager.query(text, [...parameters]);
  }

  /** @throws ApiError 404 for another's child, an unknown one and a deleted one (spec 1-platform §10.1 rule 4) */
  async find(manager: EntityManager, { parentId, childId }: ChildOf): Promise<SubAccountRow> {
    const rows: SubAccountRow[] = await manager.query(`${CHILDREN} and child.id = $2`, [parentId, childId]);
    if (!rows[0]) throw ApiErrors.notFound('sub account');
    return rows[0];
  }

  /** Every child that is not deleted, oldest first. */
  async names(manager: EntityManager, parentId: string): Promise<{ id: string; name: string }[]> {
    return manager.query(
      `select id, name from accounts where parent_account_id = $1 and deleted_at is null
       order by created_at, id`,
      [parentId],
    );
  }
}
