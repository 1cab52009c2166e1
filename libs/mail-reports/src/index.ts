export { judgeReport, type NothingBecause, type ReportVerdict } from './judge-report.rules.js';
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
