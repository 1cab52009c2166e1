import { ENHANCED_CODES, OWN_TEXTS, SURE_TEXTS, THE_REST, VAGUE_TEXTS } from './general-replies.table.js';
import { PROVIDER_REPLIES } from './provider-replies.table.js';
import { ReplyTable } from './reply-rows.schema.js';

/** Read once, checked: a broken row stops the process at its start, not at the first bounce. */
export const REPLY_TABLE: ReplyTable = ReplyTable.parse({
  own: OWN_TEXTS,
  provider: PROVIDER_REPLIES,
  sure: SURE_TEXTS,
  codes: ENHANCED_CODES,
  vague: VAGUE_TEXTS,
  rest: THE_REST,
});
