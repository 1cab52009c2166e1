import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@postmesh/contracts';
import type { AllFields, RequestContent, Values } from '@postmesh/message-content';
import { forgetResult, SETTINGS, type Remember } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { DomainDirectory } from '@postmesh/domains-contract';
import { AcceptSend, type CheckedSend } from './accept-send.js';
import { namedMailbox, readSurroundings, readTexts, requireContent } from './content.rules.js';
import { mailboxOf, readConversationRecipients, readRecipients, type Recipient } from './recipients.rules.js';
import type { AcceptedSend } from './send-result.js';
import type { ConversationBody, RegularBody } from './send.schema.js';
import { requireMaySend, requireSender, requireSendingDomain } from './sending-domain.rules.js';
import { readHeaders, readOptions, readSandbox } from './shared-fields.rules.js';

export interface AcceptOwnContentCommand {
  /** the sender: the account with its facts, and the scopes of the key */
  principal: Principal;
  /** traceparent of the event, where the request is traced */
  trace?: string | null;
  /** aborted when the client has disconnected */
  signal?: AbortSignal | undefined;
  input: RegularBody | ConversationBody;
}

/**
 * Accepts a send with its own content: a regular send, with a message per recipient (spec 2-messages §1.2), or a
 * conversation, one message whose recipients see each other (spec 2-messages §1.3).
 */
@Injectable()
export class AcceptOwnContent {
  constructor(
    private readonly domains: DomainDirectory,
    private readonly sends: AcceptSend,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** @throws ApiError 400 or 403, in the order of spec 2-messages §1.2 */
  async execute(
    { principal, input, trace, signal }: AcceptOwnContentCommand,
    remember: Remember<AcceptedSend> = forgetResult,
  ): Promise<AcceptedSend> {
    const from = requireSender(input.from.email);
    const addressing = isConversation(input) ? toConversation(input) : toRecipients(input);
    const headers = readHeaders(input.headers, {
      controlPrefixes: this.settings.controlHeaderPrefixes,
      hasReplyTo: Boolean(input.reply_to),
      hasCc: isConversation(input) && Boolean(input.cc),
      drop: addressing.dropped,
    });
    const facts = await this.domains.find(principal.account_id, from.domain);
    const domain = requireSendingDomain(principal, from.domain, facts);
    requireContent(input);
    const acceptedAt = new Date();
    const options = readOptions(input, headers, { account: principal.account, now: acceptedAt });
    const sandbox = readSandbox(input, headers);
    const author = namedMailbox(from.address, input.from.name, 'from');
    const texts = readTexts(input);
    const surroundings = readSurroundings(input, headers, addressing.rendering !== undefined);
    requireMaySend(principal, domain, sandbox !== null);
    // field by field: a spread of such an object costs as much as parsing an address
    const content: AllFields<CheckedSend['content']> = {
      from: author,
      to: addressing.to,
      cc: addressing.cc,
      replyTo: surroundings.replyTo,
      subject: texts.subject,
      headers: surroundings.headers,
      text: texts.text,
      html: texts.html,
      amp: texts.amp,
      rendering: addressing.rendering,
      preheader: undefined,
      attachments: surroundings.attachments,
    };
    const { kind, recipients, valuesOf } = addressing;
    const send: AllFields<CheckedSend> = {
      kind,
      templateId: null,
      principal,
      trace,
      signal,
      domain,
      recipients,
      content,
      valuesOf,
      options,
      sandbox,
      schedule: input.schedule,
      acceptedAt,
    };
    return this.sends.execute(send, remember);
  }
}

/** The parts of a send that follow from its kind of recipients. */
interface Addressing
  extends
    Pick<CheckedSend, 'kind' | 'recipients' | 'valuesOf'>,
    Pick<RequestContent, 'to' | 'cc' | 'rendering'> {
  /** headers that are not passed on */
  dropped?: readonly string[];
}

const isConversation = (input: RegularBody | ConversationBody): input is ConversationBody => 'to' in input;

function toConversation(input: ConversationBody): Addressing {
  const { to, cc, distinct } = readConversationRecipients(input);
  return {
    kind: 'conversation',
    recipients: distinct,
    to: inHeader(to),
    cc: cc.length > 0 ? inHeader(cc) : undefined,
  };
}

/** Also recipients with an error. */
const inHeader = (list: readonly Recipient[]) => list.map(mailboxOf);

/**
 * Values make a text a template; a recipient without values gets the text as written (spec 2-messages §4 rules 4 to 6).
 */
function toRecipients(input: RegularBody): Addressing {
  const recipients = readRecipients(input.recipients);
  const values = input.substitutions ?? {};
  const valuesOf = ({ given: { substitutions } }: Recipient): Values | undefined =>
    isEmpty(values) && isEmpty(substitutions ?? {}) ? undefined : (substitutions ?? {});
  const isRendered = recipients.some((recipient) => valuesOf(recipient) !== undefined);
  const rendering = { escapeHtml: false, ...(isEmpty(values) ? {} : { values }) };
  const dropped = ['cc'];
  return { kind: 'regular', recipients, valuesOf, rendering: isRendered ? rendering : undefined, dropped };
}

const isEmpty = (values: Values): boolean => Object.keys(values).length === 0;
