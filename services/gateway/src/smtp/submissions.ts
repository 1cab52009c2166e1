import { Inject, Injectable } from '@nestjs/common';
import type { Readable } from 'node:stream';
import { AccountId } from '@postmesh/contracts';
import type { SmtpReply, Submitter } from '@postmesh/messages-contract';
import type { KnownSmtpCredential } from '@postmesh/accounts-contract';
import { RecipientShields } from '@postmesh/mail-format';
import type { Logger } from '@postmesh/observability';
import { LOGGER, SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { RareWarning } from '../rare-warning.js';
import { Logins } from './login/logins.js';
import { MessageHandOver } from './message/hand-over.js';
import { readRecipient, sizeBound } from './message/envelope.rules.js';
import { REPLIES } from './replies.table.js';
import { SenderVerdicts } from './sender-verdicts.js';
import type { DataResult, MailTaker, SmtpSession, Transaction } from './smtp-session.js';

/** Receives mail of a session that has logged in, for its account (spec 2-messages §13). */
@Injectable()
export class Submissions implements MailTaker {
  private readonly notAsked: RareWarning;

  constructor(
    private readonly verdicts: SenderVerdicts,
    private readonly logins: Logins,
    private readonly shields: RecipientShields,
    private readonly handOver: MessageHandOver,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.notAsked = new RareWarning(logger, 'smtp_sender.not_judged', 'senders of submissions not judged');
  }

  async mail(session: SmtpSession, { sender }: Transaction): Promise<SmtpReply | undefined> {
    const { credential } = session;
    if (!credential) return REPLIES.logInFirst;
    try {
      const current = await this.logins.current(credential);
      if (!current) return REPLIES.loginGone;
      session.credential = current;
      const verdict = await this.verdicts.of(current, submitterOf(current), sender);
      return verdict.ok ? undefined : verdict.reply;
    } catch (error) {
      this.notAsked.log(error);
      return REPLIES.notStored;
    }
  }

  async recipient(
    session: SmtpSession,
    transaction: Transaction,
    given: string,
  ): Promise<SmtpReply | undefined> {
    const read = readRecipient(given);
    if (!read.ok) return read.reply;
    if (read.address.needsSmtpUtf8 && !transaction.smtpUtf8) return REPLIES.needsSmtpUtf8;
    const { account } = session.credential ?? {};
    const rejection = account && (await this.shields.of(account))(read.address.domain);
    // a shield's text begins with the code
    if (rejection !== undefined) return { code: 553, text: rejection.replace(/^553 /, '') };
    transaction.recipients.set(read.address.address, undefined);
    return undefined;
  }

  async message(
    session: SmtpSession,
    transaction: Transaction,
    source: Readable,
  ): Promise<DataResult | undefined> {
    const { credential } = session;
    if (!credential) return { ok: false, reply: REPLIES.logInFirst };
    return this.handOver.take(source, session, {
      way: 'submission',
      envelope: {
        submitter: submitterOf(credential),
        sender: transaction.sender,
        ...(transaction.smtpUtf8 ? { smtp_utf8: true } : {}),
        recipients: [...transaction.recipients.keys()],
        session: session.toFacts(),
      },
      account: credential.account_id,
      ...sizeBound(transaction.declaredBytes, this.settings.messageLimitBytes),
    });
  }
}

function submitterOf(credential: KnownSmtpCredential): Submitter {
  const { credential_id, username, account_id, sandbox, scope, domains, blocked, account } = credential;
  const id = AccountId.parse(account_id);
  return { credential_id, username, account_id: id, sandbox, scope, domains, blocked, account };
}
