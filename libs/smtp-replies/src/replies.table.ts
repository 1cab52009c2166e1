import { ENHANCED_CODES, OWN_TEXTS, SURE_TEXTS, THE_REST, VAGUE_TEXTS } from './general-replies.table.js';
import { GOOGLE_REPLIES } from './providers/google.table.js';
import { MICROSOFT_REPLIES } from './providers/microsoft.table.js';
import { OTHER_PROVIDERS_REPLIES } from './providers/other-providers.table.js';
import { YAHOO_REPLIES } from './providers/yahoo.table.js';
import { ReplyTable } from './reply-rows.schema.js';

/** Parsed once, at the start: a broken row stops the process then, not at the first bounce. */
export const REPLY_TABLE: ReplyTable = ReplyTable.parse({
  own: OWN_TEXTS,
  // by the ids of the delivery worker's provider table
  provider: [...GOOGLE_REPLIES, ...MICROSOFT_REPLIES, ...YAHOO_REPLIES, ...OTHER_PROVIDERS_REPLIES],
  sure: SURE_TEXTS,
  codes: ENHANCED_CODES,
  vague: VAGUE_TEXTS,
  rest: THE_REST,
});
