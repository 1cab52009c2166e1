export { findEnhancedCode, fitsCode, isSpecific } from './enhanced-codes.rules.js';
export { judgeReply, type AboutReply } from './judge-reply.rules.js';
export { matchesHost, PROVIDER_HOSTS, providerOfHost } from './provider-hosts.table.js';
export { repliesReference } from './replies-reference.js';
export { linearPattern } from './reply-rows.schema.js';
export { suppressionOf } from './reply-kinds.table.js';
export {
  BounceClass,
  ReplyKind,
  ReplyShape,
  type ReplyText,
  type ReplyVerdict,
  type Suppresses,
} from './reply.js';
