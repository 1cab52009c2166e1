import type { MemberEntity } from '../database/entities/index.js';
import type { MemberResource } from './member.schema.js';

/** A member as the API shows them (spec 1-platform §8): neither address nor name. */
export function memberResource(member: MemberEntity): MemberResource {
  return {
    created_at: member.createdAt.toISOString(),
    updated_at: member.updatedAt.toISOString(),
    user_id: member.userId,
    account_id: member.accountId,
    role: member.role,
  };
}
