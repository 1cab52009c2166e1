import type { AccountEntity } from '../database/entities/index.js';
import type { AccountResource } from './account.schema.js';

/** The account as the API shows it (spec 1-platform §7): no suspension, credit or plan. */
export function accountResource(account: AccountEntity): AccountResource {
  return {
    object: 'account',
    id: account.id,
    parent_account_id: account.parentAccountId,
    created_at: account.createdAt.toISOString(),
    updated_at: account.updatedAt.toISOString(),
    name: account.name,
    website: account.website,
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
