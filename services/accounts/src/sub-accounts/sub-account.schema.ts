import { z } from 'zod';
import { pageOf, Timestamp, type BodyRules } from '@postmesh/contracts';
import type { AccountEntity } from '../account/account.entity.js';
import { accountState, type StateColumns } from '../account/account-state.rules.js';
import { textField } from '../account/text-field.js';
import { websiteField } from '../account/website.rules.js';

const name = textField('name', { min: 1, max: 255, trimmed: true });

const website = websiteField(1);

const monthlyCredit = z.number().int().min(0).max(1_000_000_000).meta({
  description:
    'Messages that it may send per calendar month (UTC), one per recipient, sandbox not counted; 0 = no cap.',
});

export const CreateSubAccountBody = z.object({
  name,
  website,
  monthly_credit: monthlyCredit.nullish(),
});
export type CreateSubAccountBody = z.infer<typeof CreateSubAccountBody>;

/** Fields that are left out or null stay. */
export const UpdateSubAccountBody = z.object({
  name: name.nullish(),
  website: website.nullish(),
  monthly_credit: monthlyCredit.nullish(),
});
export type UpdateSubAccountBody = z.infer<typeof UpdateSubAccountBody>;

export const SuspendSubAccountBody = z.object({
  reason: textField('reason', { min: 1, max: 500, trimmed: true }),
});
export type SuspendSubAccountBody = z.infer<typeof SuspendSubAccountBody>;

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

const SUB_ACCOUNT_STATUSES = ['active', 'suspended', 'parent-suspended', 'deleted'] as const;
type SubAccountStatus = (typeof SUB_ACCOUNT_STATUSES)[number];

const count = (description: string) => z.number().int().min(0).meta({ description });

export const SubAccountResource = z
  .object({
    object: z.literal('sub_account'),
    id: z.uuid().meta({ description: 'The account id of the sub-account.' }),
    parent_account_id: z.uuid(),
    created_at: Timestamp,
    name: z.string(),
    website: z.string().meta({ description: 'A bare domain.' }),
    status: z.enum(SUB_ACCOUNT_STATUSES).meta({
      description:
        '`suspended`: by you or by the operator; `parent-suspended`: because you are suspended. A `deleted` one is never returned.',
    }),
    monthly_credit: monthlyCredit,
    domain_count: count('Domains that it owns now.'),
    member_count: count('Its direct members; none after a create through the API.'),
    last_activity_at: Timestamp.nullable().meta({
      description: 'When a message of it was last accepted, sandbox not counted.',
    }),
  })
  .meta({ id: 'SubAccount', description: 'An account that belongs to another one.' });
export type SubAccountResource = z.infer<typeof SubAccountResource>;

export const SubAccountPage = pageOf(SubAccountResource);

/** A child with its parent, on which its state depends. */
export interface SubAccount {
  account: AccountEntity;
  memberCount: number;
}

/** Figures of a child from other services. */
export interface SubAccountFigures {
  domainCount: number;
  lastActivityAt: string | null;
}

/** The figures of a new child. */
export const NO_FIGURES: SubAccountFigures = { domainCount: 0, lastActivityAt: null };

export function subAccountResource(
  { account, memberCount }: SubAccount,
  figures: SubAccountFigures,
): SubAccountResource {
  const { parent } = account;
  if (!parent) throw new Error('a sub-account was read without its parent');
  return {
    object: 'sub_account',
    id: account.id,
    parent_account_id: parent.id,
    created_at: account.createdAt.toISOString(),
    name: account.name,
    website: account.website,
    status: subAccountStatus(account, parent),
    monthly_credit: account.monthlyCredit,
    domain_count: figures.domainCount,
    member_count: memberCount,
    last_activity_at: figures.lastActivityAt,
  };
}

/**
 * The state of a child for its parent (spec 1-platform §10.2). A block by the operator has no value of its own:
 * the child is suspended, and not by the parent.
 */
export function subAccountStatus(child: StateColumns, parent: StateColumns): SubAccountStatus {
  const state = accountState(child, parent);
  return state === 'blocked' ? 'suspended' : state;
}

const part = {
  reception_count: z
    .number()
    .int()
    .min(0)
    .meta({ description: 'Accepted outbound messages, one per recipient, sandbox not counted.' }),
  allocated_cost: z
    .number()
    .min(0)
    .meta({ description: 'Share of the pooled cost, two decimals. The parts sum to the total.' }),
};

const billingPeriod = z.object({
  start: Timestamp,
  end: Timestamp.meta({ description: 'The first moment after the period.' }),
});

export const SubAccountUsage = z
  .object({
    billing_period: billingPeriod.meta({ description: 'The current calendar month in UTC.' }),
    currency: z.string().meta({ description: 'Lower-case code.' }),
    allocation_method: z.literal('proportional'),
    allocation_note: z.string().meta({ description: 'Explains the allocated cost to readers.' }),
    parent: z.object({ account_id: z.uuid(), ...part }),
    sub_accounts: z
      .array(z.object({ account_id: z.uuid(), name: z.string(), ...part }))
      .meta({ description: 'Every sub-account that is not deleted, oldest first.' }),
    removed_sub_accounts: z
      .object(part)
      .meta({ description: 'Sub-accounts that were deleted during the period, together.' }),
    total: z.object(part),
  })
  .meta({
    id: 'SubAccountUsage',
    description: 'The usage of an account and its sub-accounts in this month.',
  });
export type SubAccountUsage = z.infer<typeof SubAccountUsage>;
