// @ts-check
// Tools that read: each is one or two requests to the API, whose scopes decide what the key may see.
import { z } from 'zod';
import { queryOf } from '../operator-cli/requests.mjs';
import { LongText } from './tool-result.mjs';

const MAX_LIMIT = 50;
const SHOWN_HEADERS = ['from', 'to', 'cc', 'reply-to', 'subject', 'date', 'message-id'];

const text = z.string().max(1_000);
const time = z.string().max(40).describe('RFC 3339');
const page = {
  limit: z.number().int().min(1).max(MAX_LIMIT).default(20),
  after: text.optional().describe('`next_cursor` of the page before'),
};
const domainName = z.string().regex(/^[a-z0-9.-]{1,253}$/i);

/**
 * @typedef {(path: string, query?: Record<string, unknown>) => Promise<any>} Get a path below the account
 * @typedef {object} ReadTool
 * @property {string} title
 * @property {string} description
 * @property {Record<string, z.ZodType>} input
 * @property {(get: Get, input: any, settings: { hasContents: boolean }) => Promise<unknown>} read
 */

/** By name. @type {Record<string, ReadTool>} */
export const READ_TOOLS = {
  find_messages: {
    title: 'Find messages',
    description:
      'Messages, newest first, with their status; filters are joined by AND. `message_timeline` has the attempts of one.',
    input: {
      recipient: text.optional().describe('exactly this address'),
      sender: text.optional().describe('exactly this address'),
      subject: text.optional().describe('a part of the subject'),
      status: text
        .optional()
        .describe(
          'any of these, separated by commas: Received, Scheduled, Delivered, Opened, Clicked, Deferred, Bounced, Failed, Suppressed, Canceled',
        ),
      tags: text.optional().describe('any of these, separated by commas'),
      from_time: time.optional(),
      to_time: time.optional(),
      ...page,
    },
    read: async (get, input) => pageOf(await get('/messages', input), messageSummary),
  },
  message_timeline: {
    title: 'Timeline of a message',
    description:
      'One message with every attempt to deliver it and the replies of the remote server. Its content only where the operator of this server and the key allow it.',
    input: {
      message_id: text.describe('its id, or its Message-ID'),
      recipient: text.optional().describe('which of the messages that share a Message-ID'),
      include_content: z.boolean().default(false),
    },
    read: readMessage,
  },
  domains: {
    title: 'Domains and their DNS problems',
    description:
      'Sending domains: whether each may send, and the DNS records that are missing or wrong, with the value to publish.',
    input: { domain: domainName.optional().describe('this one alone, with all of its records'), ...page },
    read: async (get, { domain, ...query }) => {
      if (domain === undefined) return pageOf(await get('/domains', query), domainSummary);
      const found = await get(`/domains/${encodeURIComponent(domain)}`);
      return { ...domainSummary(found), dns_records: found.dns_records.map(recordOf) };
    },
  },
  suppressions_of_address: {
    title: 'Suppressions of an address',
    description: 'The reasons for which messages to an address are not sent, by sending domain.',
    input: { email: text, ...page },
    read: async (get, input) =>
      pageOf(
        await get('/suppressions', input),
        pick('email', 'domain', 'reason', 'protected', 'created_at', 'expires_at'),
      ),
  },
  statistics: {
    title: 'Statistics',
    description: 'Figures of transactional messages over time; without times, of the last 30 days.',
    input: {
      about: z.enum(['deliverability', 'bounce', 'delivery-time']).default('deliverability'),
      from_time: time.optional(),
      to_time: time.optional(),
      sender_domain: text.optional().describe('sending domains, separated by commas'),
      recipient_domains: text.optional().describe('domains of recipients, separated by commas'),
      tags: text.optional(),
      group_by: z.enum(['hour', 'day', 'week', 'month']).optional(),
    },
    read: async (get, { about, ...query }) => (await get(`/statistics/transactional/${about}`, query)).data,
  },
  templates: {
    title: 'Templates',
    description: 'Templates that a message can be sent from, with the variables of each.',
    input: page,
    read: async (get, input) =>
      pageOf(
        await get('/templates', input),
        pick('id', 'name', 'subject', 'variables', 'from', 'editor', 'has_draft', 'updated_at'),
      ),
  },
  webhooks: {
    title: 'Webhooks and their health',
    description:
      'Webhooks with their calls: how many succeeded and failed, and how many failed since the last success.',
    input: page,
    read: async (get, input) => pageOf(await get('/webhooks', input), webhookHealth),
  },
  campaigns: {
    title: 'Campaigns',
    description: 'Campaigns, newest first, with their states; `campaign_results` has the figures of one.',
    input: { name: text.optional().describe('a part of the name'), ...page },
    read: async (get, input) => pageOf(await get('/campaigns', input), campaignSummary),
  },
  campaign_results: {
    title: 'Results of a campaign',
    description: 'The state of a campaign, what keeps it from being sent, and what became of its recipients.',
    input: { campaign_id: z.uuid() },
    read: async (get, { campaign_id }) => {
      const campaign = await get(`/campaigns/${campaign_id}`);
      const { object: _, campaign_id: id, ...results } = await get(`/campaigns/${campaign_id}/stats`);
      return { id, ...campaignSummary(campaign), issues: campaign.issues, results };
    },
  },
};

/** @param {string} path of the account @param {(request: import('../operator-cli/requests.mjs').OperatorRequest) => Promise<any>} ask @returns {Get} */
export const getterOf = (path, ask) => (below, query) =>
  ask({ path: `${path}${below}${queryOf(asTexts(query))}` });

const asTexts = (query = {}) =>
  Object.fromEntries(
    Object.entries(query).map(([name, value]) => [name, value === undefined ? undefined : String(value)]),
  );

/** @param {string[]} names @returns {(row: any) => Record<string, any>} */
const pick =
  (...names) =>
  (row) =>
    Object.fromEntries(names.filter((name) => row[name] !== undefined).map((name) => [name, row[name]]));

/** @param {any} response @param {(row: any) => unknown} present */
const pageOf = ({ data, pagination }, present) => ({
  data: data.map(present),
  ...(pagination?.has_more ? { next_cursor: pagination.next_cursor } : {}),
});

const messageSummary = pick(
  'id',
  'created_at',
  'status',
  'sender',
  'recipient',
  'subject',
  'tags',
  'bounce_classification',
  'num_attempts',
);

/** @type {ReadTool['read']} */
async function readMessage(get, { message_id, recipient, include_content }, { hasContents }) {
  const message = await get(`/messages/${encodeURIComponent(message_id)}`, { recipient });
  return {
    ...messageSummary(message),
    ...pick('message_id', 'direction', 'sent_at', 'delivered_at', 'open_count', 'click_count')(message),
    delivery_attempts: message.delivery_attempts,
    ...(include_content ? { content: hasContents ? contentOf(message) : NOT_ALLOWED } : {}),
  };
}

const NOT_ALLOWED = 'contents may not be read here: this server was started without --contents';

/** The parts of a message that a person reads: a few headers, the text (or else the HTML), and the names of its attachments. */
function contentOf({ content_parsed: parsed }) {
  if (!parsed) return 'the content is no longer kept';
  const body =
    parsed.parts.find(({ content_type }) => content_type.startsWith('text/plain')) ?? parsed.parts[0];
  return {
    headers: Object.fromEntries(
      Object.entries(parsed.headers).filter(([name]) => SHOWN_HEADERS.includes(name.toLowerCase())),
    ),
    ...(body ? { content_type: body.content_type, body: new LongText(body.content) } : {}),
    attachments: parsed.attachments.map(pick('filename', 'content_type')),
  };
}

const recordOf = pick('label', 'type', 'host', 'content', 'required', 'propagated');

function domainSummary(domain) {
  return {
    ...pick('domain', 'dns_valid', 'sending_type', 'paused', 'pause_reason', 'last_dns_check_at')(domain),
    problems: domain.dns_records.filter(({ propagated }) => !propagated).map(recordOf),
  };
}

function webhookHealth(webhook) {
  const events = Object.keys(webhook).filter((name) => name.startsWith('on_') && webhook[name]);
  return {
    ...pick('id', 'name', 'enabled')(webhook),
    url: withoutSecrets(webhook.url),
    health: !webhook.enabled ? 'disabled' : webhook.errors_since_last_success > 0 ? 'failing' : 'good',
    events,
    ...pick('scope', 'domains', 'success_count', 'error_count', 'errors_since_last_success')(webhook),
    last_request_at: webhook.last_request_at,
  };
}

/** A query and a name of a user often have a secret of the receiver. @param {string} url */
function withoutSecrets(url) {
  if (!URL.canParse(url)) return '';
  const { origin, pathname, search } = new URL(url);
  return `${origin}${pathname}${search === '' ? '' : '?…'}`;
}

const campaignSummary = pick(
  'id',
  'name',
  'subject',
  'status',
  'status_reason',
  'ready',
  'send_at',
  'send_resumes_at',
  'finished_at',
);
