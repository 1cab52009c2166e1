import { z } from 'zod';
import {
  ApiError,
  commaSeparated,
  domainScopes,
  hasDomainScope,
  oneOf,
  scopeError,
  timeParameter,
  trimText,
  visibleDomains,
  type Principal,
} from '@postmesh/contracts';
import { parseEmailAddress } from '@postmesh/mail-format';
import { MESSAGE_STATUSES, type MessageStatus } from '../message-status/message-status.rules.js';
import { foldSubject } from '../search-index/search-tokens.rules.js';

/** The filters of a list of messages (spec 2-messages §2.1); all of them must match. */
export interface MessageFilters {
  /** shown statuses, any of them */
  statuses?: MessageStatus[] | undefined;
  sender?: string | undefined;
  recipient?: string | undefined;
  /** part of the subject, folded */
  subject?: string | undefined;
  /** with angle brackets */
  messageIdHeader?: string | undefined;
  /** any of them */
  tags?: string[] | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
  /** only inbound messages, or none; undefined = both */
  isInbound?: boolean | undefined;
  /** sending domains that the key may read; undefined = all */
  domains?: string[] | undefined;
}

const FAMILY = 'messages:read';
const MAX_TAGS = 20;

/** The statuses of a filter: a clicked message is also opened, and an opened one was delivered. */
const CUMULATIVE: Partial<Record<MessageStatus, readonly MessageStatus[]>> = {
  Delivered: ['Delivered', 'Opened', 'Clicked'],
  Opened: ['Opened', 'Clicked'],
};

const text = (description: string) => z.string().optional().meta({ description });
const time = (description: string) => z.string().optional().meta({ format: 'date-time', description });

/** The parameters, as in the query string. */
export const ListMessagesQuery = z.object({
  status: text(
    `Any of these, separated by commas: ${MESSAGE_STATUSES.join(', ')}. \`Delivered\` includes opened and clicked messages, \`Opened\` clicked ones.`,
  ),
  sender: text('Exactly this address.'),
  recipient: text('Exactly this address.'),
  subject: text('Part of the subject, in upper or lower case.'),
  message_id_header: text('The Message-ID, with or without angle brackets.'),
  tags: text(`Up to ${MAX_TAGS}, separated by commas: messages with any of them.`),
  from_time: time('Only messages that were created at this time or later.'),
  to_time: time('Only messages that were created before this time.'),
});

/** The parameter of one message (spec 2-messages §2.2). */
export const GetMessageQuery = z.object({
  recipient: text(
    'Exactly this address: of the messages that share a Message-ID, that of this recipient. Without it the first.',
  ),
});

type Given = Readonly<Record<string, string | undefined>>;

/** @throws ApiError 400 for the first invalid parameter, in the order of the contract */
export function readMessageFilters(given: Given): MessageFilters {
  return {
    statuses: readStatuses(given['status']),
    sender: addressOf(given['sender']),
    recipient: addressOf(given['recipient']),
    subject: given['subject'] === undefined ? undefined : searchable(foldSubject(given['subject'])),
    messageIdHeader: readHeader(given['message_id_header']),
    tags: readTags(given['tags']),
    from: timeParameter('from_time', given['from_time']),
    to: timeParameter('to_time', given['to_time']),
  };
}

/**
 * Restricts the filters to the domains of the key.
 * @throws ApiError 403 when the sender's domain is not among the key's
 */
export function authorise(
  principal: Pick<Principal, 'scopes'>,
  { sender, ...filters }: MessageFilters,
): MessageFilters {
  if (sender !== undefined && !hasDomainScope(principal, FAMILY, domainOf(sender))) {
    throw scopeError('sender domain not found in api key scopes', domainScopes(FAMILY, [domainOf(sender)]));
  }
  return { ...filters, sender, domains: visibleDomains(principal, FAMILY) };
}

function readStatuses(given: string | undefined): MessageStatus[] | undefined {
  const names = commaSeparated(given ?? '');
  if (names.length === 0) return undefined;
  const wanted = names.flatMap((name) => {
    const status = MESSAGE_STATUSES.find((known) => known === name);
    if (!status) throw new ApiError(400, `invalid status '${name}'${oneOf(MESSAGE_STATUSES)}`);
    return CUMULATIVE[status] ?? [status];
  });
  return [...new Set(wanted)];
}

/** In the stored form of addresses; an invalid one is searched as it is, without a match. */
export function addressOf(given: string | undefined): string | undefined {
  const trimmed = trimText(given ?? '');
  if (!trimmed) return undefined;
  const parsed = parseEmailAddress(trimmed);
  return searchable(parsed.ok ? parsed.address.address : trimmed.toLowerCase());
}

const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1);

function readHeader(given: string | undefined): string | undefined {
  const inner = trimText(given ?? '').replace(/^<(.*)>$/s, '$1');
  return inner ? searchable(`<${inner}>`) : undefined;
}

function readTags(given: string | undefined): string[] | undefined {
  const tags = [...new Set(commaSeparated(given ?? ''))];
  if (tags.length > MAX_TAGS) throw new ApiError(400, `tags must have at most ${MAX_TAGS} items`);
  return tags.length === 0 ? undefined : tags.map(searchable);
}

// PostgreSQL cannot store or read NUL; U+FFFF is in no stored text
const searchable = (value: string): string => value.replaceAll('\0', '\uffff');
