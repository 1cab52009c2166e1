import { z } from 'zod';
import { ApiError, trimText } from '@postmesh/contracts';
import {
  ListMessagesQuery,
  readMessageFilters,
  type MessageFilters,
} from '../list-messages/message-filters.rules.js';

/** `sends`: by the API, over SMTP, and reports; all but campaigns and inbound mail. */
const KINDS = ['sends', 'campaigns', 'inbound'] as const;
type Kind = (typeof KINDS)[number];

const MAX_PART = 254;

export const SearchMessagesQuery = ListMessagesQuery.omit({ message_id_header: true }).extend({
  address: z.string().optional().meta({
    description:
      'Part of the address of the recipient or the sender, in upper or lower case. A whole address is found faster as `recipient`.',
    maxLength: MAX_PART,
  }),
  kind: z.enum(KINDS).optional().meta({ description: 'Default: all.' }),
});

export interface SearchFilters {
  filters: MessageFilters;
  /** folded */
  address: string | undefined;
  kind: Kind | undefined;
}

/** @throws ApiError 400 */
export function readSearchFilters(given: Readonly<Record<string, string | undefined>>): SearchFilters {
  const address = trimText(given['address'] ?? '')
    .toLowerCase()
    // PostgreSQL cannot read NUL; U+FFFF is in no stored text
    .replaceAll('\0', '\uffff');
  if (address.length > MAX_PART) throw new ApiError(400, `address must have at most ${MAX_PART} characters`);
  const kind = KINDS.find((one) => one === given['kind']);
  if (given['kind'] !== undefined && kind === undefined)
    throw new ApiError(400, `invalid kind (one of ${KINDS.join(', ')})`);
  return {
    filters: readMessageFilters({ ...given, message_id_header: undefined }),
    address: address === '' ? undefined : address,
    kind,
  };
}
