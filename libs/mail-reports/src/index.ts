export { judgeReport, type ReportVerdict } from './judge-report.rules.js';
export { readReport } from './read-report.js';
export { reportsReference } from './reports-reference.js';
export type { Complaint, RecipientStatus, Report, ReportToken } from './report.js';
