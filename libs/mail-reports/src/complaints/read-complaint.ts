import { readAddress } from '../delivery-status/read-delivery-status.js';
import { readFields, ReportFields } from '../mime/header-fields.js';
import type { Complaint } from '../report.js';

const MAX_CHARS = 64 * 1024;

/** Reads the content of a message/feedback-report part (RFC 5965 §3). */
export function readFeedback(
  text: string,
): Pick<Complaint, 'feedbackType' | 'recipient' | 'userAgent' | 'sourceIp'> {
  const fields = new ReportFields(readFields(text.slice(0, MAX_CHARS)));
  return {
    feedbackType: (fields.first('feedback-type') ?? 'abuse').trim().toLowerCase(),
    recipient: fields
      .all('original-rcpt-to')
      .map(readAddress)
      .find((address) => address !== undefined),
    userAgent: fields.first('user-agent'),
    sourceIp: fields.first('source-ip'),
  };
}
