import { Inject, Injectable } from '@nestjs/common';
import { ApiError, newId, type MessageId } from '@postmesh/contracts';
import { DomainDirectory, type DomainFacts } from '@postmesh/domains-contract';
import type { SmtpReply, SubmissionEnvelope, SubmissionResult } from '@postmesh/messages-contract';
import { parseEmailAddress, type EmailAddress } from '@postmesh/mail-format';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { SendRequestWriter } from '../accept/send-request-store.js';
import type { AcceptedRequest, RequestRecipient } from '../accept/send-request.rules.js';
import { readOptions, readSandbox } from '../accept/shared-fields.rules.js';
import { bytesOf, readSubmission, tracedMessage, type RawSubmission } from './raw-submission.rules.js';
import { accountProblem, domainProblem, OUT_OF_CREDIT, readSender } from './sender-replies.rules.js';

export interface AcceptSubmissionCommand {
  envelope: SubmissionEnvelope;
  /** without dot-stuffing */
  raw: Buffer;
  /** traceparent, where the request is traced */
  trace?: string;
}

const TOO_LARGE: SmtpReply = { code: 552, enhanced: '5.3.4', text: 'message size exceeds the limit' };
const NO_RECIPIENT: SmtpReply = {
  code: 553,
  enhanced: '5.1.3',
  text: 'a recipient is not a valid address',
};

const refused = (reply: SmtpReply): SubmissionResult => ({ ok: false, reply });

/**
 * Accepts the message of an SMTP client (spec 2-messages §13 rules 7 to 9): one send request, a record per recipient, in
 * the same commits as those of the API. The messages are durable when the result is returned.
 */
@Injectable()
export class AcceptSubmission {
  constructor(
    private readonly domains: DomainDirectory,
    private readonly writer: SendRequestWriter,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** @throws Transient, or the error that prevented storing: the caller must then assume nothing */
  async execute({ envelope, raw, trace }: AcceptSubmissionCommand): Promise<SubmissionResult> {
    if (raw.length > this.settings.messageLimitBytes) return refused(TOO_LARGE);
    const suspended = accountProblem(envelope.submitter);
    if (suspended) return refused(suspended);
    const sender = readSender(envelope.sender);
    if (!sender.ok) return sender;
    const recipients = readRecipients(envelope.recipients);
    if (!recipients) return refused(NO_RECIPIENT);
    const { controlHeaderPrefixes: controlPrefixes, messageLimitBytes } = this.settings;
    const read = readSubmission(raw, { controlPrefixes, smtpUtf8: envelope.smtp_utf8 === true });
    if (!read.ok) return read;
    const { submission } = read;
    // recoding makes a message larger
    if (bytesOf(submission) > messageLimitBytes) return refused(TOO_LARGE);
    const domain = await this.findDomain(envelope, { submission, sender: sender.address });
    if ('code' in domain) return refused(domain);
    const request = this.toRequest(envelope, { submission, recipients, domain });
    return this.store({ ...request, trace }, envelope);
  }

  /**
   * The domain of the author, which signs and counts. That of MAIL FROM may have changed since its check, and must
   * pass the same checks.
   */
  private async findDomain(
    { submitter }: SubmissionEnvelope,
    { submission, sender }: { submission: RawSubmission; sender: EmailAddress },
  ): Promise<DomainFacts | SmtpReply> {
    const sandbox = submitter.sandbox || submission.controls.sandbox === true;
    const { domain } = submission.author;
    const found = await Promise.all(
      [...new Set([domain, sender.domain])].map(async (name) => {
        const facts = await this.domains.find(submitter.account_id, name);
        return domainProblem(submitter, name, { facts, sandbox }) ?? facts;
      }),
    );
    const problem = found.find((one) => one && 'code' in one);
    const [facts] = found;
    if (problem || !facts) return problem as SmtpReply;
    return facts;
  }

  private toRequest(
    { submitter }: SubmissionEnvelope,
    about: { submission: RawSubmission; recipients: EmailAddress[]; domain: DomainFacts },
  ): AcceptedRequest {
    const { submission, domain } = about;
    const acceptedAt = new Date();
    const recipients = about.recipients.map((address) => toRecipient(address, acceptedAt));
    const { id } = recipients[0] as RequestRecipient;
    const messageId = submission.messageId ?? `<${id}@${domain.domain}>`;
    const host = `smtp.${this.settings.serviceZone}`;
    return {
      kind: 'smtp',
      templateId: null,
      accountId: submitter.account_id,
      domain,
      sender: submission.author.address,
      messageIdHeader: messageId,
      subject: submission.subject,
      content: { raw: tracedMessage(submission, { id, host, receivedAt: acceptedAt, messageId }) },
      ...readOptions({}, submission, { account: submitter.account, now: acceptedAt }),
      sandbox: readSandbox({ sandbox: submitter.sandbox }, submission),
      acceptedAt,
      recipients,
    };
  }

  private async store(
    request: AcceptedRequest,
    { submitter }: SubmissionEnvelope,
  ): Promise<SubmissionResult> {
    const { id } = request.recipients[0] as RequestRecipient;
    try {
      await this.writer.accept(request, submitter.account);
      return { ok: true, id };
    } catch (error) {
      // the only cause of a 403 here: the credit of the account or its family (spec 1-platform §10.4 rule 6)
      if (error instanceof ApiError && error.status === 403) return refused(OUT_OF_CREDIT);
      throw error;
    }
  }
}

/** Without duplicates. @returns undefined when one is invalid */
function readRecipients(given: readonly string[]): EmailAddress[] | undefined {
  const read = new Map<string, EmailAddress>();
  for (const text of given) {
    const parsed = parseEmailAddress(text);
    if (!parsed.ok) return undefined;
    if (!read.has(parsed.address.address)) read.set(parsed.address.address, parsed.address);
  }
  return read.size > 0 ? [...read.values()] : undefined;
}

const toRecipient = ({ address: email }: EmailAddress, at: Date): RequestRecipient => ({
  id: newId(at.getTime()) as MessageId,
  email,
  name: '',
});
