export { judgeReply, type AboutReply } from './judge-reply.rules.js';
export { repliesReference } from './replies-reference.js';
export { suppressionOf } from './reply-kinds.table.js';
export {
  BounceClass,
  ReplyKind,
  ReplyShape,
  type ReplyText,
  type ReplyVerdict,
  type Suppresses,
} from './reply.js';
