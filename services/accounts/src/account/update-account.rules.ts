import type { AccountEntity } from '../database/entities/index.js';
import type { UpdateAccountBody } from './account.schema.js';
import { storedWebsite } from './website.rules.js';

type Field = keyof UpdateAccountBody;

const COLUMNS = {
  name: 'name',
  website: 'website',
  about: 'about',
  track_opens: 'trackOpens',
  track_clicks: 'trackClicks',
  reject_bad_recipients: 'rejectBadRecipients',
  reject_mistyped_recipients: 'rejectMistypedRecipients',
  message_metadata_retention: 'messageMetadataRetention',
  message_data_retention: 'messageDataRetention',
} as const satisfies Record<Field, keyof AccountEntity>;

// What the gateways know of an account and hand to the services with every request.
const FACTS: readonly Field[] = [
  'track_opens',
  'track_clicks',
  'reject_bad_recipients',
  'reject_mistyped_recipients',
  'message_metadata_retention',
  'message_data_retention',
];

export interface AccountUpdate {
  /** the columns with their new values */
  columns: Partial<AccountEntity>;
  /** the same by the names of the API */
  fields: Partial<Record<Field, unknown>>;
  /** gateways must look the account's keys up anew */
  changesFacts: boolean;
}

/**
 * What of a request differs from the account as it is (spec 1-platform §7 rule 1).
 * @returns undefined when nothing does
 * @throws ApiError 400 for a website that cannot be a sub-account's
 */
export function accountUpdate(account: AccountEntity, input: UpdateAccountBody): AccountUpdate | undefined {
  const website = input.website ?? undefined;
  const isSubAccount = account.parentAccountId !== null;
  const wanted = {
    ...input,
    website: website === undefined ? undefined : storedWebsite(website, { isSubAccount }),
  };
  const names = Object.keys(COLUMNS) as Field[];
  const changed = names.filter((name) => (wanted[name] ?? account[COLUMNS[name]]) !== account[COLUMNS[name]]);
  if (changed.length === 0) return undefined;
  return {
    columns: Object.fromEntries(changed.map((name) => [COLUMNS[name], wanted[name]])),
    fields: Object.fromEntries(changed.map((name) => [name, wanted[name]])),
    changesFacts: changed.some((name) => FACTS.includes(name)),
  };
}
