import { Inject, Injectable } from '@nestjs/common';
import type { Readable } from 'node:stream';
import { TokenBuckets, withTimeout, type Limit } from '@postmesh/concurrency';
import type { InboundRecipient, SmtpReply } from '@postmesh/messages-contract';
import type { Logger } from '@postmesh/observability';
import { LOGGER, SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { RareWarning } from '../../rare-warning.js';
import { readRecipient, sizeBound } from '../message/envelope.rules.js';
import { MessageHandOver } from '../message/hand-over.js';
import { REPLIES } from '../replies.table.js';
import type { DataResult, MailTaker, SmtpSession, Transaction } from '../smtp-session.js';
import { InboundRecipientDirectory } from './inbound-recipients.js';

const LOOK_UP_MS = 20_000;
/** Unknown recipients of one session before it is ended, against directory harvesting. */
const MAX_UNKNOWN = 20;
const KB = 1_000;

const perMinute = (amount: number): Limit => ({ perSecond: amount / 60, burst: amount });

/** Receives mail without a login, to recipients with a route or of the service itself (spec 1-platform §13.4). */
@Injectable()
export class InboundMail implements MailTaker {
  private readonly buckets = new TokenBuckets();
  private readonly messages: Limit;
  private readonly kilobytes: Limit;
  private readonly notAsked: RareWarning;

  constructor(
    private readonly directory: InboundRecipientDirectory,
    private readonly handOver: MessageHandOver,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.messages = perMinute(settings.inboundMessagesPerMinute);
    this.kilobytes = perMinute(settings.inboundMegabytesPerMinute * KB);
    this.notAsked = new RareWarning(logger, 'smtp_recipient.not_judged', 'inbound recipients not looked up');
  }

  async mail({ peer }: SmtpSession): Promise<SmtpReply | undefined> {
    const tooMany = this.buckets.take(`messages/${peer}`, this.messages) > 0;
    return tooMany || this.buckets.take(`kilobytes/${peer}`, this.kilobytes) > 0
      ? REPLIES.tooFast
      : undefined;
  }

  async recipient(
    session: SmtpSession,
    { recipients }: Transaction,
    given: string,
  ): Promise<SmtpReply | undefined> {
    const read = readRecipient(given);
    if (!read.ok) return read.reply;
    const { address } = read.address;
    let leads: InboundRecipient | undefined;
    try {
      leads = await withTimeout(this.directory.find(address), LOOK_UP_MS, 'looking up a recipient');
    } catch (error) {
      this.notAsked.log(error);
      return REPLIES.notStored;
    }
    if (!leads) {
      session.unknownRecipients += 1;
      return session.unknownRecipients > MAX_UNKNOWN ? REPLIES.tooManyUnknown : REPLIES.noSuchRecipient;
    }
    recipients.set(address, leads);
    return undefined;
  }

  async message(
    session: SmtpSession,
    { sender, recipients, declaredBytes }: Transaction,
    source: Readable,
  ): Promise<DataResult | undefined> {
    const known = [...recipients.values()].filter((recipient) => recipient !== undefined);
    const before = session.bytes;
    const result = await this.handOver.take(source, session, {
      way: 'inbound',
      envelope: { sender, recipients: known, session: session.toFacts() },
      account: accountOf(known),
      ...sizeBound(declaredBytes, this.settings.messageLimitBytes),
    });
    this.buckets.charge(`kilobytes/${session.peer}`, this.kilobytes, (session.bytes - before) / KB);
    return result;
  }
}

function accountOf(recipients: readonly InboundRecipient[]): string {
  for (const recipient of recipients) {
    if ('owners' in recipient && recipient.owners[0]) return recipient.owners[0].account_id;
  }
  return 'inbound';
}
