import { z } from 'zod';
import {
  ApiError,
  ApiErrors,
  isLongerThan,
  listOf,
  pageOf,
  readTime,
  timeParameter,
  Timestamp,
  isBlank,
} from '@postmesh/contracts';
import { parseEmailAddress } from '@postmesh/mail-format';
import { SuppressionSource } from '@postmesh/messages-contract';
import { timestampOf, type Suppression } from './suppression.rules.js';

const MAX_REASON_CHARACTERS = 255;

export const noSuchDomain = (domain: string) => new ApiError(400, `domain not found: ${domain}`);
export const noDomains = () => new ApiError(400, 'account has no domains');
export const alreadySuppressed = () => new ApiError(409, 'suppression already exists');

export const isTime = (text: string): boolean => readTime(text) !== undefined;
/** @param text a valid time */
export const timeOf = (text: string): Date => readTime(text) ?? new Date(Number.NaN);

const emailOf = (text: string): string | undefined => {
  const parsed = parseEmailAddress(text);
  return parsed.ok ? parsed.address.address : undefined;
};

export const futureTime = (name: string) =>
  z
    .string()
    .refine(isTime, { message: ApiErrors.invalidTime(name).message })
    .refine((text) => !isTime(text) || timeOf(text) > new Date(), {
      message: `${name} must be in the future`,
    })
    .transform(timeOf);

/** The body of a create, in the order in which its fields are checked (spec 1-platform §14.2). */
export const CreateSuppressionBody = z.object({
  email: z
    .string()
    .refine((text) => emailOf(text) !== undefined, { message: 'email is not a valid email address' })
    .transform((text) => emailOf(text) ?? '')
    .meta({ format: 'email', description: 'Who is not to be written to.' }),
  expires_at: futureTime('expires_at').meta({
    format: 'date-time',
    description: 'From then on it blocks nothing. In the future.',
  }),
  domain: z.string().nullish().meta({
    description: 'The sending domain that it applies to, one of the account; without it, all of them.',
  }),
  reason: z
    .string()
    .refine((text) => !isLongerThan(text, MAX_REASON_CHARACTERS), {
      message: `reason must be at most ${MAX_REASON_CHARACTERS} characters`,
    })
    // Postgres cannot store this character
    .refine((text) => !text.includes('\u0000'), { message: 'reason must not contain a NUL character' })
    .nullish()
    .meta({ maxLength: MAX_REASON_CHARACTERS }),
});
export type CreateSuppressionBody = z.infer<typeof CreateSuppressionBody>;

export const READ_ONLY_FIELDS = ['object', 'id', 'created_at', 'protected'] as const;

const domain = z.string().optional().meta({ description: 'One of the domains of the account.' });
const email = z.string().optional().meta({ description: 'Exactly this address, in any spelling.' });
const time = (description: string) => z.string().optional().meta({ format: 'date-time', description });

/** The filters of a list, as in the query string. */
export const ListSuppressionsQuery = z.object({
  domain,
  email,
  from_time: time('Only those that were created at this time or later.'),
  to_time: time('Only those that were created before this time.'),
});
export const DeleteSuppressionQuery = z.object({
  email: z.string().meta({ description: 'The address whose suppressions are lifted, in any spelling.' }),
  domain,
});
export const WipeSuppressionsQuery = z.object({ domain });

type Given = Readonly<Record<string, string | undefined>>;

export interface SuppressionFilters {
  /** as in the request */
  domain: string | undefined;
  email: string | undefined;
  from: Date | undefined;
  to: Date | undefined;
}

/** @throws ApiError 400, for the first error in the order of the contract */
export function readFilters(given: Given): SuppressionFilters {
  const filters = {
    domain: readDomain(given['domain']),
    email: readEmail(given['email']),
    from: timeParameter('from_time', given['from_time']),
    to: timeParameter('to_time', given['to_time']),
  };
  if (filters.from && filters.to && filters.from > filters.to) {
    throw new ApiError(400, 'from_time must not be after to_time');
  }
  return filters;
}

export interface SuppressedAddress {
  email: string;
  /** as in the request; undefined: all domains */
  domain: string | undefined;
}

/** @throws ApiError 400 without an address */
export function readAddress(given: Given): SuppressedAddress {
  const address = readEmail(given['email']);
  if (address === undefined) throw new ApiError(400, 'email is required');
  return { email: address, domain: readDomain(given['domain']) };
}

/** An empty value counts as absent (spec 1-platform §1.1 rule 7). Its owner is checked later. */
export const readDomain = (text: string | undefined): string | undefined => (text === '' ? undefined : text);

function readEmail(text: string | undefined): string | undefined {
  if (text === undefined || isBlank(text)) return undefined;
  const address = emailOf(text);
  if (address === undefined) throw ApiErrors.invalidParameter('email');
  return address;
}

/** The resource `suppression` (spec 1-platform §14.1). */
export const SuppressionResource = z
  .object({
    object: z.literal('suppression'),
    id: z.uuid(),
    created_at: Timestamp,
    email: z.string(),
    domain: z.string().meta({ description: 'The sending domain that it applies to.' }),
    reason: z.string().meta({ description: 'Empty when none was given.' }),
    protected: z
      .boolean()
      .meta({ description: "The recipient's own decision: an unsubscribe or a spam complaint." }),
    expires_at: Timestamp.meta({ description: '9999-12-31T23:59:59Z when it is permanent.' }),
  })
  .meta({ id: 'Suppression', description: 'An address that a domain does not write to.' });
export type SuppressionResource = z.infer<typeof SuppressionResource>;

/** In the console, with its origin. */
const ListedSuppression = SuppressionResource.extend({
  source: SuppressionSource.meta({ description: 'By whom or what it was added.' }),
  message_id: z.uuid().nullable().meta({
    description:
      'The message that bounced, or was complained about or unsubscribed from, where one is known.',
  }),
}).meta({ id: 'ListedSuppression', description: 'A suppression with its origin.' });
export const ListedSuppressionPage = pageOf(ListedSuppression);

export const listedSuppression = (row: Suppression): z.infer<typeof ListedSuppression> => ({
  ...suppressionResource(row),
  source: row.source,
  message_id: row.messageId ?? null,
});

export const SuppressionList = listOf(SuppressionResource);
export const SuppressionPage = pageOf(SuppressionResource);

export const suppressionResource = (row: Suppression): SuppressionResource => ({
  object: 'suppression',
  id: row.id,
  created_at: row.createdAt.toISOString(),
  email: row.email,
  domain: row.domain,
  reason: row.reason,
  protected: row.protected,
  expires_at: timestampOf(row.expiresAt),
});
