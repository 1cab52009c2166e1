import { Inject, Injectable } from '@nestjs/common';
import { BudgetExhausted, ByteBudget } from '@postmesh/concurrency';
import { Transient, type InboundOwner } from '@postmesh/contracts';
import type {
  InboundEnvelope,
  InboundRecipient,
  SmtpReply,
  SubmissionResult,
} from '@postmesh/messages-contract';
import { Metrics, type Logger } from '@postmesh/observability';
import { AccountDirectory } from '@postmesh/accounts-contract';
import { LOGGER, SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { AuthenticateSender } from './authenticate-sender.js';
import { isForgedResult, readHeaderBlock, summaryOf, type HeaderBlock } from './inbound-headers.rules.js';
import { toInboundRecord, type InboundMessage, type InboundRecord } from './inbound-records.rules.js';
import { InboundWriter } from './inbound-writer.js';
import { TakeReports } from './take-reports.js';
import { traceFields } from './trace-fields.rules.js';

export interface ReceiveInboundCommand {
  envelope: InboundEnvelope;
  /** without dot-stuffing */
  raw: Buffer;
}

// RFC 5321 §6.3 suggests a limit of at least 100; real mail has fewer than 50.
const MAX_RECEIVED = 50;
const LOOP: SmtpReply = { code: 554, enhanced: '5.4.6', text: 'too many hops, this message is in a loop' };
const GONE: SmtpReply = { code: 550, enhanced: '5.1.1', text: 'no such recipient' };

// In memory as received, and a second time with our fields on top.
const COPIES = 2;
// Small messages are bounded by their number: each waits for DNS.
const AT_ONCE = 100;
// The share of one account, so that a flood to it delays no other account.
const ACCOUNT_SHARE = 1 / 3;
const MAX_WAITING_PER_ACCOUNT = 200;
// The remote server waits ten minutes for the reply to its message (RFC 5321 §4.5.3.2.6), a gateway one.
const MAX_WAIT_MS = 20_000;

type OwnedRecipient = Extract<InboundRecipient, { owners: unknown }>;

/** Accepts one message by SMTP: stores it durably for each owner, or handles it as a report. */
@Injectable()
export class ReceiveInbound {
  private readonly room: ByteBudget;
  private readonly smallest: number;
  private readonly host: string;
  private readonly received;

  constructor(
    private readonly accounts: AccountDirectory,
    private readonly authentication: AuthenticateSender,
    private readonly writer: InboundWriter,
    private readonly reports: TakeReports,
    @Inject(SETTINGS) { largeBytes, serviceZone }: Settings,
    @Inject(LOGGER) private readonly logger: Logger,
    metrics: Metrics,
  ) {
    this.host = `mx.${serviceZone}`;
    this.smallest = Math.ceil(largeBytes / AT_ONCE);
    this.room = new ByteBudget({
      maxBytes: largeBytes,
      maxPerKey: Math.floor(largeBytes * ACCOUNT_SHARE),
      freeBelow: 0,
      maxWaiting: MAX_WAITING_PER_ACCOUNT,
      maxWaitMs: MAX_WAIT_MS,
    });
    this.received = metrics.counter(
      'postmesh_inbound_messages_total',
      'Messages that came by SMTP for routes or as reports, by how they ended',
      ['outcome'],
    );
  }

  /** @throws Transient when it cannot be stored now: the remote server tries again */
  async execute(command: ReceiveInboundCommand): Promise<SubmissionResult> {
    const { envelope, raw } = command;
    const key = ownersOf(envelope)[0]?.account_id ?? 'inbound';
    try {
      const size = Math.max(raw.length * COPIES, this.smallest);
      const result = await this.room.within<SubmissionResult>(key, size, () => this.take(command));
      this.note(command, result.ok ? 'stored' : 'refused');
      return result;
    } catch (error) {
      this.note(command, 'deferred');
      if (error instanceof BudgetExhausted) throw new Transient(error.message, undefined, { cause: error });
      throw error;
    }
  }

  private async take({ envelope, raw }: ReceiveInboundCommand): Promise<SubmissionResult> {
    const headers = readHeaderBlock(raw);
    if (headers.lines.filter(({ name }) => name === 'received').length > MAX_RECEIVED) {
      return { ok: false, reply: LOOP };
    }
    // before the message is stored: handling a report twice has no effect, but a message stored twice is visible
    const reported = await this.reports.execute(envelope, raw);
    const records = await this.toRecords({ envelope, raw }, headers);
    const stored = records.length === 0 ? [] : await this.writer.write(records);
    const id = stored[0]?.row.id ?? reported;
    return id === undefined ? { ok: false, reply: GONE } : { ok: true, id };
  }

  private async toRecords(
    { envelope, raw }: ReceiveInboundCommand,
    headers: HeaderBlock,
  ): Promise<InboundRecord[]> {
    const owners = ownersOf(envelope);
    if (owners.length === 0) return [];
    const [authenticationResults, known] = await Promise.all([
      this.authenticate(envelope, raw, headers),
      Promise.all(owners.map(({ account_id }) => this.accounts.find(account_id))),
    ]);
    const receivedAt = new Date();
    const trace = traceFields({ ...envelope, host: this.host, receivedAt, authenticationResults });
    const { author, subject, messageId } = summaryOf(raw);
    const content = this.withTrace(trace, raw, headers);
    return owners.flatMap((owner, nth) => {
      const facts = known[nth];
      if (!facts) return [];
      const message: InboundMessage = {
        owner,
        recipients: recipientsOf(envelope, owner),
        sender: author || envelope.sender,
        subject,
        messageIdHeader: messageId,
        content,
        size: raw.length,
        retention: {
          metadataDays: facts.message_metadata_retention,
          dataDays: facts.message_data_retention,
        },
        receivedAt,
      };
      return [toInboundRecord(message)];
    });
  }

  private authenticate(
    { sender, session }: InboundEnvelope,
    raw: Buffer,
    headers: HeaderBlock,
  ): Promise<string> {
    const { client_ip: ip, helo } = session;
    return this.authentication.execute({ raw, headers, host: this.host, sender, ip, helo });
  }

  /** Text without a header gets an empty line, which separates our header from it. */
  private withTrace(trace: string, raw: Buffer, { lines, bodyAt, isReadable }: HeaderBlock): Buffer {
    const top = Buffer.from(isReadable ? trace : `${trace}\r\n`);
    const kept = lines.filter((line) => !isForgedResult(line, this.host));
    if (kept.length === lines.length) return Buffer.concat([top, raw]);
    const header = Buffer.from(kept.map(({ text }) => text).join(''), 'latin1');
    return Buffer.concat([top, header, raw.subarray(bodyAt)]);
  }

  private note({ envelope, raw }: ReceiveInboundCommand, outcome: 'stored' | 'refused' | 'deferred'): void {
    this.received.inc({ outcome });
    const { id, client_ip } = envelope.session;
    this.logger.info(
      {
        event: 'inbound.received',
        outcome,
        session_id: id,
        client_ip,
        size: raw.length,
        recipients: envelope.recipients.length,
        account_ids: [...new Set(ownersOf(envelope).map(({ account_id }) => account_id))],
      },
      'inbound message handled',
    );
  }
}

/** Each account with each of its domains once, in the order of the recipients. */
function ownersOf({ recipients }: InboundEnvelope): InboundOwner[] {
  const owners = recipients
    .filter((one): one is OwnedRecipient => 'owners' in one)
    .flatMap((one) => one.owners);
  return [...new Map(owners.map((owner) => [keyOf(owner), owner])).values()];
}

const recipientsOf = ({ recipients }: InboundEnvelope, owner: InboundOwner): string[] =>
  recipients.flatMap((one) =>
    'owners' in one && one.owners.some((other) => keyOf(other) === keyOf(owner)) ? [one.address] : [],
  );

const keyOf = ({ account_id, domain_id }: InboundOwner): string => `${account_id}/${domain_id}`;
