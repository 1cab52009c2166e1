import { z } from 'zod';
import { Timestamp, type BodyRules } from '@postmesh/contracts';
import type { AccountEntity } from './account.entity.js';
import { textField } from './text-field.js';
import { shownWebsite, websiteField } from './website.rules.js';

const days = (least: number) => z.number().int().min(least).max(30);

/** The fields of `PUT` (spec 1-platform §7); a field that is left out or null stays. */
export const UpdateAccountBody = z.object({
  name: textField('name', { min: 1, max: 255, trimmed: true }).nullish(),
  website: websiteField(0).nullish(),
  about: textField('about', { max: 10_000, multiline: true }).nullish(),
  track_opens: z.boolean().nullish(),
  track_clicks: z.boolean().nullish(),
  reject_bad_recipients: z.boolean().nullish(),
  reject_mistyped_recipients: z.boolean().nullish(),
  message_metadata_retention: days(1).nullish(),
  message_data_retention: days(0).nullish(),
});
export type UpdateAccountBody = z.infer<typeof UpdateAccountBody>;

export const ACCOUNT_BODY_RULES: BodyRules = {
  readOnly: ['object', 'id', 'parent_account_id', 'created_at', 'updated_at', 'owner_id'],
};

export const AccountResource = z
  .object({
    object: z.literal('account'),
    id: z.uuid(),
    parent_account_id: z.uuid().nullable().meta({ description: 'null for a top-level account' }),
    created_at: Timestamp,
    updated_at: Timestamp,
    name: z.string(),
    website: z.string().meta({ description: 'the host, e.g. `example.com`; empty when there is none' }),
    about: z.string(),
    track_opens: z.boolean().meta({ description: 'default for sends without this field' }),
    track_clicks: z.boolean().meta({ description: 'default for sends without this field' }),
    reject_bad_recipients: z
      .boolean()
      .meta({ description: 'refuse recipients at known throw-away and toxic domains' }),
    reject_mistyped_recipients: z
      .boolean()
      .meta({ description: 'refuse recipients at known misspellings of provider domains' }),
    message_metadata_retention: z.number().int().min(1).max(30).meta({ description: 'days' }),
    message_data_retention: z.number().int().min(0).max(30).meta({ description: 'days' }),
    owner_id: z.uuid().meta({ description: 'the user who owns the account' }),
  })
  .meta({ id: 'Account', description: 'An account with its profile and its defaults for sends.' });
export type AccountResource = z.infer<typeof AccountResource>;

/** An account in the API (spec 1-platform §7): without suspension, credit and plan. */
export function accountResource(account: AccountEntity): AccountResource {
  return {
    object: 'account',
    id: account.id,
    parent_account_id: account.parentAccountId,
    created_at: account.createdAt.toISOString(),
    updated_at: account.updatedAt.toISOString(),
    name: account.name,
    website: shownWebsite(account.website),
    about: account.about,
    track_opens: account.trackOpens,
    track_clicks: account.trackClicks,
    reject_bad_recipients: account.rejectBadRecipients,
    reject_mistyped_recipients: account.rejectMistypedRecipients,
    message_metadata_retention: account.messageMetadataRetention,
    message_data_retention: account.messageDataRetention,
    owner_id: account.ownerId,
  };
}
