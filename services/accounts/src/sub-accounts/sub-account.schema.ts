import { z } from 'zod';
import type { BodyRules } from '@postmesh/contracts';
import { readWebsiteDomain } from '../account/website.rules.js';
import { textField } from '../text-fields/text-field.js';

const name = textField('name', { min: 1, max: 255, trimmed: true });

const website = textField('website', { min: 1, max: 255, trimmed: true }).transform((text, context) => {
  const domain = readWebsiteDomain(text);
  if (domain !== undefined) return domain;
  context.addIssue({ code: 'custom', message: 'website must be a valid URL' });
  return z.NEVER;
});

const monthlyCredit = z
  .number()
  .int()
  .min(0)
  .max(1_000_000_000)
  .describe('messages per calendar month (UTC), one per recipient; 0 = no cap');

export const CreateSubAccountBody = z.object({
  name,
  website: website.describe('a domain, or an http(s) URL, of which the host is kept'),
  monthly_credit: monthlyCredit.nullish(),
});
export type CreateSubAccountBody = z.infer<typeof CreateSubAccountBody>;

/** What is left out or null stays. */
export const UpdateSubAccountBody = z.object({
  name: name.nullish(),
  website: website.nullish().describe('a domain, or an http(s) URL, of which the host is kept'),
  monthly_credit: monthlyCredit.nullish(),
});
export type UpdateSubAccountBody = z.infer<typeof UpdateSubAccountBody>;

export const SuspendSubAccountBody = z.object({
  reason: textField('reason', { min: 1, max: 500, trimmed: true }),
});

export const SUB_ACCOUNT_BODY_RULES: BodyRules = {
  readOnly: [
    'object',
    'id',
    'parent_account_id',
    'created_at',
    'status',
    'domain_count',
    'member_count',
    'last_activity_at',
  ],
};

export const SUB_ACCOUNT_STATUSES = ['active', 'suspended', 'parent-suspended', 'deleted'] as const;
export type SubAccountStatus = (typeof SUB_ACCOUNT_STATUSES)[number];

export const SubAccountResource = z.object({
  object: z.literal('sub_account'),
  id: z.uuid().describe("the sub-account's account id"),
  parent_account_id: z.uuid(),
  created_at: z.iso.datetime(),
  name: z.string(),
  website: z.string().describe('a bare domain'),
  status: z.enum(SUB_ACCOUNT_STATUSES),
  monthly_credit: monthlyCredit,
  domain_count: z.number().int().min(0).describe('domains that it owns now'),
  member_count: z.number().int().min(0).describe('direct members; 0 after a create through the API'),
  last_activity_at: z.iso.datetime().nullable().describe('when its last non-sandbox message was accepted'),
});
export type SubAccountResource = z.infer<typeof SubAccountResource>;
