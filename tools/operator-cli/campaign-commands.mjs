// @ts-check
// Campaigns: their state, their reviews, and the limits of accounts.
import { PAGE_OPTIONS, fieldsOf, queryOf, readNumber, readSwitch } from './requests.mjs';

const MARKETING = '/operator/marketing';
const campaignPath = (id = '', rest = '') => `${MARKETING}/campaigns/${encodeURIComponent(id)}${rest}`;
const accountPath = (id = '') => `${MARKETING}/accounts/${encodeURIComponent(id)}/marketing`;

const CAMPAIGN_FIELDS = [
  'id',
  'account_id',
  'name',
  'status',
  'status_reason',
  'subject',
  'from_email',
  'created_at',
  'updated_at',
  'send_at',
  'started_at',
  'paused_at',
  'send_resumes_at',
  'finished_at',
  'due_at',
  'leased_until',
  'checked_contacts',
  'invalid_contacts',
  'batches_left',
];

/** Counters that are not 0, in one cell. */
const present = ({ counts, ...campaign }) => ({
  ...campaign,
  content: undefined,
  counts: Object.entries(counts ?? {})
    .filter(([, count]) => count !== 0)
    .map(([name, count]) => `${name} ${count}`)
    .join(', '),
});

/**
 * An action on one campaign.
 * @param {string} name
 * @param {{ help: string, about?: string, note?: 'needed' | 'possible' }} about
 * @returns {import('./requests.mjs').Command}
 */
const campaignAction = (name, { help, about, note }) => ({
  usage:
    note === undefined
      ? '<campaign id>'
      : note === 'needed'
        ? '<campaign id> <note>'
        : '<campaign id> [note]',
  help,
  about,
  least: note === 'needed' ? 2 : 1,
  most: note === undefined ? 1 : undefined,
  request: ([id, ...words]) => ({
    method: 'POST',
    path: campaignPath(id, `/${name}`),
    body: words.length > 0 ? { note: words.join(' ') } : undefined,
  }),
  present,
  fields: [...CAMPAIGN_FIELDS, 'counts'],
});

/** @param {string} text @param {string} name of the option @returns {number | null | 'default'} */
const readLimit = (text, name) => {
  if (text === 'none') return null;
  return text === 'default' ? 'default' : readNumber(text, name);
};

/** @type {import('./requests.mjs').Commands} */
export const CAMPAIGN_COMMANDS = {
  campaigns: {
    help: 'campaigns of all accounts, newest first',
    options: {
      status: {
        value: '<status>',
        help: 'draft, validating, waiting_for_review, scheduled, sending, paused, sent, canceled or failed',
      },
      account: { value: '<account id>', help: 'of this account only' },
      ...PAGE_OPTIONS,
    },
    examples: ['campaigns --status waiting_for_review', 'campaigns --status paused'],
    most: 0,
    request: (_, { status, account, limit, after }) => ({
      path: `${MARKETING}/campaigns${queryOf({ status, account, limit, after })}`,
    }),
    tables: { data: ['id', 'status', 'status_reason', 'name', 'from_email', 'send_at', 'account_id'] },
  },
  campaign: {
    usage: '<campaign id>',
    help: 'one campaign: its state with the reason, and its counters; --json also shows its content',
    least: 1,
    most: 1,
    request: ([id]) => ({ path: campaignPath(id) }),
    present,
    fields: [...CAMPAIGN_FIELDS, 'counts'],
  },
  'campaign-approve': campaignAction('approve', {
    help: 'approve a campaign that waits for a review',
    about: 'It starts at its time, after another check of sender and recipients.',
  }),
  'campaign-return': campaignAction('return', {
    help: 'make a campaign that waits for a review a draft again',
    about: 'The account reads the note, may change the campaign, and sends it again.',
    note: 'needed',
  }),
  'campaign-reject': campaignAction('reject', {
    help: 'cancel a campaign that waits for a review',
    about: 'The account reads the note. Only a duplicate of the campaign can be sent.',
    note: 'possible',
  }),
  'campaign-pause': campaignAction('pause', {
    help: 'stop a campaign that sends, until campaign-resume',
    about: 'Accepted messages are still delivered: up to POSTMESH_CAMPAIGN_WINDOW.',
  }),
  'campaign-resume': campaignAction('resume', {
    help: 'resume a paused campaign',
    about: 'A cause that persists pauses it again. Earlier bounces and complaints no longer count.',
  }),
  'campaign-cancel': campaignAction('cancel', {
    help: 'end a campaign that is not finished',
    about: 'Accepted messages are still delivered; the other recipients get none.',
  }),
  marketing: {
    usage: '<account id>',
    help: 'the campaign limits of an account',
    about: 'Options change them. Reviews need POSTMESH_CAMPAIGN_REVIEW.',
    options: {
      'daily-limit': {
        value: '<messages>',
        help: 'campaign messages per UTC day; 0 = no campaigns, none = no limit, default = the limit of the settings',
      },
      review: { value: '<on|off>', help: 'whether each campaign waits for a review' },
    },
    examples: ['marketing <account id> --daily-limit 50000', 'marketing <account id> --review on'],
    least: 1,
    most: 1,
    request: ([id], options) => {
      const body = fieldsOf(options, {
        'daily-limit': ['daily_limit', readLimit],
        review: ['review_every_campaign', readSwitch],
      });
      const path = accountPath(id);
      return Object.keys(body).length === 0 ? { path } : { method: 'PUT', path, body };
    },
    present: ({ daily_limit, ...account }) => ({ ...account, daily_limit: daily_limit ?? 'none' }),
    fields: ['account_id', 'daily_limit', 'has_daily_limit', 'used_today', 'review_every_campaign'],
  },
};
