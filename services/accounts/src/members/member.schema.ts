import { z } from 'zod';
import { listOf, MEMBER_ROLES, Timestamp, type BodyRules } from '@postmesh/contracts';
import { parseEmailAddress } from '@postmesh/mail-format';
import { textField } from '../account/text-field.js';
import type { MemberEntity, UserEntity } from './people.js';

const email = z
  .string()
  .superRefine((text, context) => {
    if (parseEmailAddress(text).ok) return;
    context.addIssue({ code: 'custom', message: 'email is not a valid email address' });
  })
  .overwrite(normalised)
  .meta({ format: 'email', maxLength: 254 });

function normalised(text: string): string {
  const parsed = parseEmailAddress(text);
  return parsed.ok ? parsed.address.address : text;
}

const role = z.enum(MEMBER_ROLES);

export const AddMemberBody = z.object({
  email,
  role,
  name: textField('name', { max: 255, trimmed: true }).nullish(),
});
export type AddMemberBody = z.infer<typeof AddMemberBody>;

export const UpdateMemberBody = z.object({ role });
export type UpdateMemberBody = z.infer<typeof UpdateMemberBody>;

export const MEMBER_BODY_RULES: BodyRules = {
  readOnly: ['created_at', 'updated_at', 'user_id', 'account_id'],
};

export const MemberResource = z
  .object({
    created_at: Timestamp,
    updated_at: Timestamp,
    user_id: z.uuid(),
    account_id: z.uuid(),
    role,
  })
  .meta({ id: 'Member', description: 'A person and their role in an account.' });
export type MemberResource = z.infer<typeof MemberResource>;

export const MemberList = listOf(MemberResource);

const NamedMember = MemberResource.extend({
  email: z.string(),
  name: z.string(),
  by_group: z.boolean().meta({
    description: 'Whether a group at the OpenID Connect provider decides the role, and ends the membership.',
  }),
}).meta({
  id: 'NamedMember',
  description: 'A person and their role in an account, with their address and name.',
});
export const NamedMemberList = listOf(NamedMember);

/** A member in the API: without address and name. */
export function memberResource(member: MemberEntity): MemberResource {
  return {
    created_at: member.createdAt.toISOString(),
    updated_at: member.updatedAt.toISOString(),
    user_id: member.userId,
    account_id: member.accountId,
    role: member.role,
  };
}

/** A member in the console, for those who manage members. */
export const namedMember = (
  member: MemberEntity,
  user: UserEntity | undefined,
): z.infer<typeof NamedMember> => ({
  ...memberResource(member),
  email: user?.email ?? '',
  name: user?.name ?? '',
  by_group: member.fromGroup,
});
