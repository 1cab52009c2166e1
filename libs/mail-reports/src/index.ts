export { judgeReport, type NothingBecause, type ReportVerdict } from './judge-report.rules.js';
export { decodeCharset, decodeTransfer } from './mime/encodings.js';
export { readFields, splitHeaders, type ReportFields } from './mime/header-fields.js';
export { readContentType, readParts, type Part } from './mime/parts.js';
export { readReport } from './read-report.js';
export { reportsReference } from './reports-reference.js';
export type {
  AutoReply,
  BounceText,
  Complaint,
  DeliveryReport,
  EnclosedMessage,
  OtherReport,
  RecipientStatus,
  Report,
  ReportContext,
  ReportToken,
} from './report.js';
