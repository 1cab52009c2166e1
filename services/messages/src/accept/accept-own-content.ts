import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@postmesh/contracts';
import type { RequestContent, Values } from '@postmesh/message-content';
import { forgetResult, SETTINGS, type Remember } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { DomainDirectory } from '@postmesh/sending-domains';
import { AcceptSend, type CheckedSend } from './accept-send.js';
import { namedMailbox, readSurroundings, readTexts, requireContent } from './content.rules.js';
import { mailboxOf, readConversationRecipients, readRecipients, type Recipient } from './recipients.rules.js';
import type { AcceptedSend } from './send-result.js';
import type { ConversationBody, RegularBody } from './send.schema.js';
import { requireMaySend, requireSender, requireSendingDomain } from './sending-domain.rules.js';
import { readHeaders, readOptions, readSandbox } from './shared-fields.rules.js';

export interface AcceptOwnContentCommand {
  /** who sends: the account with its facts, and the scopes of the key */
  principal: Principal;
  /** what its event belongs to, where the request is traced */
  trace?: string | null;
  input: RegularBody | ConversationBody;
}

/**
 * Accepts a send that brings its content along: a regular send, with a message per recipient (spec 2-messages §1.2), or a
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
    { principal, input, trace }: AcceptOwnContentCommand,
    remember: Remember<AcceptedSend> = forgetResult,
  ): Promise<AcceptedSend> {
    const from = requireSender(input.from.email);
    const { ofKind, ...addressing } = isConversation(input) ? toConversation(input) : toRecipients(input);
    const headers = readHeaders(input.headers, {
      controlPrefixes: this.settings.controlHeaderPrefixes,
      hasReplyTo: Boolean(input.reply_to),
      ...(isConversation(input) ? { hasCc: Boolean(input.cc) } : { drop: ['cc'] }),
    });
    const facts = await this.domains.find(principal.account_id, from.domain);
    const domain = requireSendingDomain(principal, from.domain, facts);
    requireContent(input);
    const acceptedAt = new Date();
    const options = readOptions(input, headers, { account: principal.account, now: acceptedAt });
    const sandbox = readSandbox(input, headers);
    const content = {
      from: namedMailbox(from.address, input.from.name, 'from'),
      ...ofKind,
      ...readTexts(input),
      ...readSurroundings(input, headers),
    };
    requireMaySend(principal, domain, sandbox !== null);
    const { schedule } = input;
    const send = { principal, trace, domain, content, options, sandbox, schedule, acceptedAt, ...addressing };
    return this.sends.execute({ ...send, templateId: null }, remember);
  }
}

/** What follows from who the recipients are. */
interface Addressing extends Pick<CheckedSend, 'kind' | 'recipients' | 'valuesOf'> {
  ofKind: Pick<RequestContent, 'to' | 'cc' | 'rendering'>;
}

const isConversation = (input: RegularBody | ConversationBody): input is ConversationBody => 'to' in input;

function toConversation(input: ConversationBody): Addressing {
  const { to, cc, distinct } = readConversationRecipients(input);
  const ofKind = { to: inHeader(to), ...(cc.length > 0 ? { cc: inHeader(cc) } : {}) };
  return { kind: 'conversation', recipients: distinct, ofKind };
}

/** Also recipients with an error; what cannot be written in ASCII is left out. */
const inHeader = (list: readonly Recipient[]) =>
  list.filter(({ address }) => !address.needsSmtpUtf8).map(mailboxOf);

/** Values make a text a template; for whom there is none it leaves as it is written (spec 2-messages §4 rules 4 to 6). */
function toRecipients(input: RegularBody): Addressing {
  const recipients = readRecipients(input.recipients);
  const values = input.substitutions ?? {};
  const valuesOf = ({ given: { substitutions } }: Recipient): Values | undefined =>
    isEmpty(values) && isEmpty(substitutions ?? {}) ? undefined : (substitutions ?? {});
  const isRendered = recipients.some((recipient) => valuesOf(recipient) !== undefined);
  const rendering = { escapeHtml: false, ...(isEmpty(values) ? {} : { values }) };
  return { kind: 'regular', recipients, valuesOf, ofKind: isRendered ? { rendering } : {} };
}

const isEmpty = (values: Values): boolean => Object.keys(values).length === 0;
