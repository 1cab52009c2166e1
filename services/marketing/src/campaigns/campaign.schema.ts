import { z } from 'zod';
import {
  ApiError,
  ApiErrors,
  fullPageOf,
  isBlank,
  isLongerThan,
  lineField,
  nameField,
  timeParameter,
  Timestamp,
  trimText,
  Uuid,
} from '@postmesh/contracts';
import { Substitutions } from '@postmesh/messages-contract';
import { ContentInput, ContentResource, EDITORS, shownContent } from '@postmesh/designs';
import { needsSmtpUtf8, parseEmailAddress } from '@postmesh/mail-format';
import { readContactEmail } from '../contacts/contact-email.rules.js';
import { CAMPAIGN_STATUSES, type CampaignStatus } from '../campaign-states/campaign-state.rules.js';
import {
  ISSUES,
  type Campaign,
  type CampaignHead,
  type CampaignSender,
  type IssueCode,
  type ShownCampaign,
} from './campaign.js';

const MAX_LISTS = 50;
const MAX_NAME = 255;
const MAX_SUBJECT = 998;
const MAX_PREHEADER = 500;

/** `""` is the same as null. */
const clearable = (field: string, max: number) =>
  lineField(field, max)
    .transform((text) => (text === '' ? null : text))
    .nullish()
    .meta({ maxLength: max, description: '`null` or `""` clears it.' });

const isAddress = (text: string): boolean => parseEmailAddress(text).ok;

/** @returns the stored form; the address has passed `isAddress` */
function addressOf(text: string): string {
  const parsed = parseEmailAddress(text);
  return parsed.ok ? parsed.address.address : text;
}

const from = z
  .strictObject({
    email: z
      .string()
      .refine(isAddress, { message: 'from.email is not a valid email address' })
      .transform(addressOf)
      .meta({ format: 'email', description: 'Trimmed and lower-cased.' }),
    name: lineField('from.name', MAX_NAME).nullish(),
  })
  .nullish()
  .meta({ description: 'On a domain of the account that may send. `null` clears it; the reply-to stays.' });
export type SenderInput = z.infer<typeof from>;

const replyTo = z
  .string()
  .refine((text) => isBlank(text) || isAddress(text), {
    message: 'reply_to is not a valid email address',
    abort: true,
  })
  // it is written into the header of every message, and only some servers accept characters beyond ASCII
  .refine((text) => !needsSmtpUtf8(addressOf(text)), { message: 'reply_to must be an ASCII address' })
  .transform((text) => (isBlank(text) ? null : addressOf(text)))
  .nullish()
  .meta({ format: 'email', description: '`null` or `""` clears it.' });

/** Without duplicates, in the order of the request. */
const listIds = z
  .array(Uuid)
  .transform((ids) => [...new Set(ids)])
  .refine((ids) => ids.length <= MAX_LISTS, { message: `list_ids must have at most ${MAX_LISTS} items` })
  .meta({ maxItems: MAX_LISTS, description: 'In the order of sending. Each once.' });

const fields = {
  subject: clearable('subject', MAX_SUBJECT),
  preheader: clearable('preheader', MAX_PREHEADER),
  from,
  reply_to: replyTo,
};

/** `POST …/campaigns` (spec 3-marketing §3.2). */
export const CreateCampaignBody = z.object({
  name: nameField(),
  ...fields,
  list_ids: listIds.nullish(),
  template_id: Uuid.nullish().meta({ description: 'A campaign template, whose design is copied.' }),
  content: ContentInput.optional(),
});
export type CreateCampaignBody = z.infer<typeof CreateCampaignBody>;

/** `PUT …/campaigns/{id}`: rules U1, U5, U6 and U8. */
export const UpdateCampaignBody = z.object({
  name: nameField().optional(),
  ...fields,
  list_ids: listIds
    .refine((ids) => ids.length > 0, { message: 'list_ids must have at least 1 item' })
    .optional(),
  content: ContentInput.optional(),
});
export type UpdateCampaignBody = z.infer<typeof UpdateCampaignBody>;

/** `POST …/campaigns/{id}/duplicate`: rule D2. */
export const DuplicateCampaignBody = z.object({ name: nameField().nullish() });
export type DuplicateCampaignBody = z.infer<typeof DuplicateCampaignBody>;

const MAX_TEST_RECIPIENTS = 5;

/** `POST …/campaigns/{id}/test-send`. */
export const TestSendBody = z.object({
  to: z
    .array(
      z
        .string()
        .transform((text) => readContactEmail(text) ?? '')
        .meta({ format: 'email' }),
    )
    .min(1)
    .max(MAX_TEST_RECIPIENTS)
    .refine((emails) => !emails.includes(''), { message: 'to must hold valid email addresses' })
    .refine((emails) => new Set(emails).size === emails.length, {
      message: 'to must hold each address once',
    })
    .meta({ minItems: 1, maxItems: MAX_TEST_RECIPIENTS }),
  contact: z.string().nullish().meta({
    description: 'Id or address of the contact whose values are used. Without it each address uses its own.',
  }),
});
export type TestSendBody = z.infer<typeof TestSendBody>;

/** `POST …/campaigns/{id}/preview` (spec 3-marketing §3.2). */
export const CampaignPreviewBody = z.object({
  contact: z.string().nullish().meta({ description: 'Id or address of the contact whose values are used.' }),
  substitutions: Substitutions.nullish().meta({
    description: 'Values with precedence over those of the contact.',
  }),
});
export type CampaignPreviewBody = z.infer<typeof CampaignPreviewBody>;

const timeText = (description: string) => z.string().optional().meta({ format: 'date-time', description });

/** The parameters of a list, in the form of the query. */
export const ListCampaignsQuery = z.object({
  status: z
    .array(z.enum(CAMPAIGN_STATUSES))
    .optional()
    .meta({ description: 'Any of these: the parameter may be repeated.' }),
  name: z.string().optional().meta({ description: 'Part of the name, in upper or lower case.' }),
  from_time: timeText('Only campaigns that were created at this time or later.'),
  to_time: timeText('Only campaigns that were created at this time or earlier.'),
});

export interface CampaignFilters {
  statuses: CampaignStatus[] | undefined;
  name: string | undefined;
  from: Date | undefined;
  to: Date | undefined;
}

/**
 * Any number of statuses, but one value of every other parameter.
 * @param all the parameters as received
 * @throws ApiError 400
 */
export function readFilters(
  given: Readonly<Record<string, string | undefined>>,
  all: Readonly<Record<string, string | string[] | undefined>>,
): CampaignFilters {
  const filters = {
    statuses: readStatuses(all['status']),
    name: readName(given['name']),
    from: timeParameter('from_time', given['from_time']),
    to: timeParameter('to_time', given['to_time']),
  };
  if (filters.from && filters.to && filters.from > filters.to) {
    throw new ApiError(400, 'from_time must not be after to_time');
  }
  return filters;
}

function readStatuses(given: string | string[] | undefined): CampaignStatus[] | undefined {
  const texts = [given ?? []].flat().filter((text) => text !== '');
  const statuses = z.array(z.enum(CAMPAIGN_STATUSES)).safeParse([...new Set(texts)]);
  if (!statuses.success) {
    throw new ApiError(400, `invalid status, must be one of: ${CAMPAIGN_STATUSES.join(', ')}`);
  }
  return statuses.data.length === 0 ? undefined : statuses.data;
}

/** No name contains a character that Postgres cannot store, or is longer. */
function readName(text: string | undefined): string | undefined {
  const name = trimText(text ?? '');
  if (name.includes('\0') || isLongerThan(name, MAX_NAME)) throw ApiErrors.invalidParameter('name');
  return name === '' ? undefined : name;
}

const shape = {
  object: z.literal('campaign'),
  id: z.uuid(),
  created_at: Timestamp,
  updated_at: Timestamp.meta({
    description: 'Last change of a stored field, including status and time of sending.',
  }),
  name: z.string(),
  subject: z.string().nullable(),
  preheader: z.string().nullable(),
  from: z
    .object({ email: z.string(), name: z.string() })
    .nullable()
    .meta({ description: 'null until it is set, and once its domain was deleted.' }),
  reply_to: z.string().nullable(),
  status: z.enum(CAMPAIGN_STATUSES),
  status_reason: z.string().nullable(),
  send_at: Timestamp.nullable(),
  send_resumes_at: Timestamp.nullable().meta({ description: 'Only while the daily limit pauses it.' }),
  finished_at: Timestamp.nullable(),
};
const editor = z.enum(EDITORS).nullable().meta({ description: 'null while there is no design.' });
const ready = z.boolean().nullable().meta({ description: 'Whether it can be sent; null unless a draft.' });

const CampaignIssue = z
  .object({ code: z.enum(Object.keys(ISSUES) as [IssueCode, ...IssueCode[]]), message: z.string() })
  .meta({ id: 'CampaignIssue', description: 'A problem that prevents a draft from being sent.' });

const CampaignListItem = z
  .object({ ...shape, editor, ready })
  .meta({ id: 'CampaignListItem', description: 'A campaign without lists, content and issues.' });
type CampaignListItem = z.infer<typeof CampaignListItem>;

/** Spec 3-marketing §3.1. */
export const CampaignResource = z
  .object({
    ...shape,
    list_ids: z.array(z.uuid()).meta({ description: 'In saved order, without deleted lists.' }),
    editor,
    content: ContentResource.nullable(),
    ready,
    issues: z.array(CampaignIssue).nullable().meta({ description: 'Empty when ready; null unless a draft.' }),
  })
  .meta({ id: 'Campaign', description: 'A message to lists of contacts.' });
export type CampaignResource = z.infer<typeof CampaignResource>;

export const CampaignPage = fullPageOf(CampaignListItem);

export function campaignResource({ campaign, issues }: ShownCampaign): CampaignResource {
  return {
    ...shownHead(campaign),
    list_ids: campaign.listIds,
    editor: campaign.editor,
    content: shownContent(campaign.editor, campaign),
    ready: issues && issues.length === 0,
    issues: issues && issues.map((code) => ({ code, message: ISSUES[code] })),
  };
}

export const campaignListItem = ({ campaign, issues }: ShownCampaign<CampaignHead>): CampaignListItem => ({
  ...shownHead(campaign),
  editor: campaign.editor,
  ready: issues && issues.length === 0,
});

const shownHead = (campaign: CampaignHead): z.infer<z.ZodObject<typeof shape>> => ({
  object: 'campaign',
  id: campaign.id,
  created_at: campaign.createdAt.toISOString(),
  updated_at: campaign.updatedAt.toISOString(),
  name: campaign.name,
  subject: campaign.subject,
  preheader: campaign.preheader,
  from: campaign.from && shownSender(campaign.from),
  reply_to: campaign.replyTo,
  status: campaign.status,
  status_reason: campaign.statusReason,
  send_at: campaign.sendAt?.toISOString() ?? null,
  send_resumes_at: campaign.sendResumesAt?.toISOString() ?? null,
  finished_at: campaign.finishedAt?.toISOString() ?? null,
});

const shownSender = ({ email, name }: CampaignSender) => ({ email, name });

/** One element per address of a test, as in any send. */
export const TestResult = z
  .object({
    object: z.literal('message'),
    id: z.string().nullable().meta({ description: 'The Message-ID, with angle brackets; null: not sent.' }),
    recipient: z.object({ email: z.string(), name: z.string() }),
    status: z.enum(['queued', 'error']),
    error: z.string().optional().meta({ description: 'The reason why no message is sent to this address.' }),
  })
  .meta({ id: 'CampaignTestResult', description: 'The result for one address of a test.' });
export type TestResult = z.infer<typeof TestResult>;

/** The label of spec 3-marketing §0 rule 12. */
export const deletedText = ({ id, name }: Pick<Campaign, 'id' | 'name'>): string =>
  `campaign ${id} (${name}) deleted successfully`;
