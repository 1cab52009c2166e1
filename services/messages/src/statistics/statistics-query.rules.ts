import {
  ApiError,
  ApiErrors,
  commaSeparated,
  hasDomainScope,
  normaliseDomain,
  timeParameter,
  visibleDomains,
  type Principal,
} from '@postmesh/contracts';
import { bucketsOf, DAY_MS, GROUPINGS, type Grouping, type TimeRange } from './time-ranges.rules.js';

/** The parameters of a statistics read (spec 1-platform §15). */
export interface StatisticsQuery {
  range: TimeRange;
  grouping: Grouping;
  /** every bucket that overlaps the range */
  buckets: TimeRange[];
  /** as in the request; empty = all that the key may read */
  senderDomains: string[];
  /** null = any */
  recipientDomains: string[] | null;
  /** messages with any of them; null = with or without */
  tags: string[] | null;
}

type Given = Readonly<Record<string, string | undefined>>;

const DEFAULT_DAYS = 30;
const MAX_TAGS = 20;
// Each is looked up in the domains service, which owns it.
const MAX_SENDER_DOMAINS = 100;

/** @throws ApiError 400 for the first invalid parameter, in the order of the contract */
export function readStatisticsQuery(given: Given, now: Date): StatisticsQuery {
  const range = readRange(given, now);
  const senderDomains = listOf(given['sender_domain'], 'sender_domain', MAX_SENDER_DOMAINS);
  const recipientDomains = listOf(given['recipient_domains'], 'recipient_domains');
  const tags = listOf(given['tags'], 'tags', MAX_TAGS);
  const grouping = readGrouping(given['group_by']);
  const buckets = bucketsOf(range, grouping);
  if (!buckets) throw new ApiError(400, 'time range is too large for group_by');
  return {
    range,
    grouping,
    buckets,
    senderDomains,
    recipientDomains: orAny(recipientDomains.map((domain) => normaliseDomain(domain) ?? domain)),
    tags: orAny(tags),
  };
}

const orAny = (values: string[]): string[] | null => (values.length === 0 ? null : values);

function readRange(given: Given, now: Date): TimeRange {
  const from = timeParameter('from_time', given['from_time']);
  const to = timeParameter('to_time', given['to_time']) ?? now;
  const range = { from: from ?? new Date(to.getTime() - DEFAULT_DAYS * DAY_MS), to };
  if (range.from >= range.to) throw new ApiError(400, 'from_time must be before to_time');
  return range;
}

function readGrouping(text: string | undefined): Grouping {
  if (text === undefined || text === '') return 'day';
  const grouping = GROUPINGS.find((known) => known === text);
  if (!grouping) throw ApiErrors.invalidParameter('group_by', GROUPINGS);
  return grouping;
}

/** Without duplicates. */
function listOf(text: string | undefined, name: string, max = Number.POSITIVE_INFINITY): string[] {
  const list = [...new Set(commaSeparated(text ?? ''))];
  // Postgres cannot read NUL, and no searched value contains it
  if (list.some((item) => item.includes('\0'))) throw ApiErrors.invalidParameter(name);
  if (list.length > max) throw new ApiError(400, `${name} must have at most ${max} items`);
  return list;
}

const FAMILY = 'statistics-transactional:read';

/** The sending domains to be summed up; null = all of the account. */
export type SenderDomains = string[] | null;

/**
 * Rule query-every of spec 1-platform §2.4: each named domain must be authorised. Without any, a key with domain scopes
 * gets the sum over its domains.
 * @throws ApiError 403; 400 for an invalid domain name
 */
export function authorisedDomains(
  principal: Pick<Principal, 'scopes'>,
  given: readonly string[],
): SenderDomains {
  if (given.length === 0) return visibleDomains(principal, FAMILY) ?? null;
  const domains = given.map((text) => ({ text, domain: normaliseDomain(text) ?? '' }));
  const refused = domains.filter(({ domain }) => !hasDomainScope(principal, FAMILY, domain));
  if (refused.length > 0) {
    throw ApiErrors.missingDomainScope(
      FAMILY,
      refused.map(({ domain }) => domain),
    );
  }
  for (const { text, domain } of domains) if (domain === '') throw invalidSenderDomain(text);
  return [...new Set(domains.map(({ domain }) => domain))];
}

export const invalidSenderDomain = (domain: string) =>
  new ApiError(400, `invalid sender_domain: ${domain} (one of your domains)`);
