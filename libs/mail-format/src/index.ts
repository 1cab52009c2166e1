export { needsSmtpUtf8, parseEmailAddress } from './addresses/email-address.rules.js';
export type { EmailAddress } from './addresses/email-address.rules.js';
export { maskQuotedPath } from './addresses/quoted-path.js';
export { firstAddress, readMailboxes } from './addresses/read-mailboxes.js';
export type { Mailbox } from './addresses/address-list.js';
export { fieldProblem, formatDate, UnsafeMessage, writeField, writeFields } from './headers/header-field.js';
export { nameGivenTwice } from './headers/header-fields.table.js';
export type { HeaderField } from './headers/header-field.js';
export {
  controlName,
  headerValueProblem,
  isIgnoredHeader,
  readControls,
  sortCustomHeaders,
} from './headers/custom-headers.rules.js';
export type { Controls } from './headers/custom-headers.rules.js';
export { encodeBase64Lines } from './mime/encodings.js';
export { readAttachment } from './mime/attachment.rules.js';
export type { Attachment } from './mime/attachment.rules.js';
export {
  composeBody,
  composeMessage,
  isMessageWithin,
  isSurelyWithin,
  isWithinAtWorst,
} from './message/compose-message.js';
export { composeReport, composeTlsReport, reportedAddress, reportFields } from './message/compose-report.js';
export type { ReportContent } from './message/compose-report.js';
export { messageBytes, splitMessage } from './message/message.js';
export type { ComposedBody, Message, MessageBody, MessageContent } from './message/message.js';
export { parseMessage } from './message/parse-message.js';
export type { ParsedMessage } from './message/parse-message.js';
export { decodeCharset } from './read/charsets.js';
export { decodeWords } from './read/encoded-words.js';
export { ReadFields, readFields, readHeaders } from './read/header-fields.js';
export { bodyBytes, bodyText, readLeaves } from './read/leaves.js';
export type { AttachedPart } from './read/leaves.js';
export { leavesOf, readParts, textOf } from './read/parts.js';
export type { Part } from './read/parts.js';
export { base64Of } from './read/transfer-encodings.js';
export { fieldBytes, fieldText, fieldValue, readRawMessage, soleAddress } from './raw/raw-message.js';
export { editHtml, hasHtml } from './raw/html-parts.js';
export { recodeMessage, withAsciiHeaders } from './raw/recode-message.js';
export { prepareBody, splitHeaders } from './dkim/canonicalization.js';
export type { PreparedBody, RawField } from './dkim/canonicalization.js';
export { signMessage } from './dkim/sign-message.js';
export { parseSigningKey, SigningKeys } from './dkim/signing-key.js';
export type { SigningKey } from './dkim/signing-key.js';
export { readReportAddress, reportAddress } from './verp/report-address.js';
export { feedbackAddress, readVerp, verpAddress } from './verp/verp.js';
export { DomainListFile, isListedOrBelow } from './domain-lists/domain-lists.js';
export { RecipientShields } from './domain-lists/recipient-shields.js';
export type { Shield } from './domain-lists/recipient-shields.rules.js';
