import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Addressee } from './system-mail.js';

/** An account with those of its people who are to be told something. */
export interface AccountPeople {
  id: string;
  name: string;
  /** each user once, oldest first */
  people: Addressee[];
}

export type Circle = 'owner-and-administrators' | 'owner-and-members';

/** Who hears of what happens to an account. Its owner always does, member or not (spec 1-platform §10.3). */
@Injectable()
export class AccountPeopleFinder {
  /** One statement for all accounts; those that are deleted or unknown are left out. */
  find(manager: EntityManager, accountIds: readonly string[], circle: Circle): Promise<AccountPeople[]> {
    return manager.query(PEOPLE, [accountIds, circle === 'owner-and-members']);
  }
}

const PEOPLE = `select account.id, account.name,
    (select json_agg(json_build_object('email', u.email, 'name', u.name) order by u.created_at, u.id)
     from users u
     where u.id = account.owner_id or u.id in (
       select member.user_id from members member
       where member.account_id = account.id and ($2 or member.role = 'Administrator'))) as people
  from accounts account
  where account.id = any($1::uuid[]) and account.deleted_at is null`;
