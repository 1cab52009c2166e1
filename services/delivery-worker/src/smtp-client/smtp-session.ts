import { EMPTY_DATA } from './data-framing.js';
import type { OpenConnection, TlsInfo } from './open-connection.js';
import { connectionLost, outcomeOf } from './smtp-outcome.js';
import type { SmtpCommand } from './smtp-outcome.js';
import { isPositive } from './smtp-reply.js';
import type { SmtpReply } from './smtp-reply.js';
import type { SmtpStream } from './smtp-stream.js';
import { CommandQueue } from './command-queue.js';
import type { StreamFailure } from './socket-events.js';
import { mailCommand, apiErrorBefore, Transaction } from './smtp-transaction.js';
import type { Handover } from './smtp-transaction.js';
import type { SmtpTimeouts } from './timeouts.js';

/** Where a session takes its messages from, and whom it tells how it is. */
export interface SessionOwner {
  /** The next message for this session, if there is one; `leave` = make room for others. */
  take(session: SmtpSession): Handover | 'leave' | undefined;
  /** Nothing to do: `wake` when there is. */
  onIdle(session: SmtpSession): void;
  /** Closed, by whomever; every message that it had is settled. */
  onClosed(session: SmtpSession): void;
}

export interface SessionOptions {
  readonly timeouts: SmtpTimeouts;
  /** messages over one connection; then QUIT */
  readonly maxMessages: number;
}

// A message up to this size is written in one go; a longer one in stretches, so that a stalled server is noticed.
const STRETCH = 256 * 1024;

/**
 * Messages over one greeted connection. With PIPELINING (RFC 2920) MAIL, RCPT and DATA go in one write, and the
 * envelope of the next message goes behind the final dot of this one: one round trip a message.
 */
export class SmtpSession {
  private readonly stream: SmtpStream;
  private readonly overlaps: boolean;
  private current: Transaction | undefined;
  /** its envelope is on its way behind the final dot of the current one */
  private following: Transaction | undefined;
  private readonly commands: CommandQueue;
  private taken = 0;
  private leaving = false;
  private ended = false;
  /** It was greeted some time ago or has carried messages: the server may have hung up meanwhile. */
  kept = false;

  constructor(
    private readonly connection: OpenConnection,
    private readonly owner: SessionOwner,
    private readonly options: SessionOptions,
  ) {
    this.stream = connection.stream;
    this.overlaps = connection.capabilities.pipelining;
    this.commands = new CommandQueue(this.stream, this.overlaps);
    this.stream.onFailure = (failure) => this.lost(failure);
  }

  get tls(): TlsInfo | undefined {
    return this.connection.tls;
  }

  get closed(): boolean {
    return this.ended;
  }

  /** Ready for a message. */
  get idle(): boolean {
    return !this.ended && !this.leaving && this.current === undefined;
  }

  /** Takes a message if there is one and none is under way. */
  wake(): void {
    while (this.idle) {
      const handover = this.nextHandover();
      if (handover === undefined) {
        this.kept = true;
        if (this.idle) this.owner.onIdle(this);
        return;
      }
      this.current = this.begin(handover);
      this.commands.flush();
    }
  }

  /** Says QUIT once nothing is under way; resolves when the connection is closed. */
  async quit(): Promise<void> {
    this.leaving = true;
    if (this.ended || this.current !== undefined) return;
    const { stream } = this;
    if (stream.open && stream.outstanding === 0) {
      await stream.command('QUIT', this.options.timeouts.quitMs).catch(() => undefined);
    }
    this.close();
  }

  /** Ends at once; what has no answer yet is settled as lost. */
  abort(text: string): void {
    this.stream.fail({ reason: 'closed', text });
    this.close();
  }

  private nextHandover(): Handover | undefined {
    const handover = this.taken < this.options.maxMessages ? this.owner.take(this) : 'leave';
    if (handover === undefined) return undefined;
    if (handover === 'leave') {
      this.leaving = true;
      // Behind the final dot of a message there is still an answer to wait for.
      if (this.current === undefined) void this.quit();
      return undefined;
    }
    this.taken++;
    return handover;
  }

  /** @returns undefined when the message was refused without asking the server */
  private begin(handover: Handover): Transaction | undefined {
    const { capabilities } = this.connection;
    const apiError = apiErrorBefore(handover.message, capabilities);
    if (apiError !== undefined) {
      handover.settle(apiError);
      return undefined;
    }
    const transaction = new Transaction(handover);
    const { envelopeMs, dataMs } = this.options.timeouts;
    this.commands.add(mailCommand(handover.message, capabilities), envelopeMs, (reply) =>
      this.onMail(transaction, reply),
    );
    this.commands.add(`RCPT TO:<${handover.message.recipient}>`, envelopeMs, (reply) =>
      this.onRcpt(transaction, reply),
    );
    this.commands.add('DATA', dataMs, (reply) => this.onData(transaction, reply));
    return transaction;
  }

  private onMail(transaction: Transaction, reply: SmtpReply): void {
    if (!isPositive(reply)) return this.refused(transaction, 'MAIL FROM', reply);
    transaction.waitsFor = 'RCPT TO';
    return this.commands.flush();
  }

  private onRcpt(transaction: Transaction, reply: SmtpReply): void {
    if (!isPositive(reply)) return this.refused(transaction, 'RCPT TO', reply);
    transaction.waitsFor = 'DATA';
    return this.commands.flush();
  }

  private refused(transaction: Transaction, command: SmtpCommand, reply: SmtpReply): void {
    transaction.refuse(command, reply);
    if (reply.code === 421) return this.end();
    // The rest of a pipelined group is already there: its replies have to be heard.
    if (this.overlaps) return undefined;
    this.commands.clear();
    return this.reset(transaction);
  }

  private onData(transaction: Transaction, reply: SmtpReply): void {
    if (reply.code === 354)
      return transaction.refused ? this.sendNothing(transaction) : void this.sendMessage(transaction);
    // 2xx to DATA makes no sense; nobody can tell what such a server would do with what comes next.
    if (reply.code < 400 && !transaction.refused) return this.abandon('an answer to DATA that is none');
    transaction.refuse('DATA', reply);
    if (reply.code === 421) return this.end();
    return this.reset(transaction);
  }

  /** RFC 2920 §3.1: DATA was accepted although RCPT was not; the server wants data, so it gets none. */
  private sendNothing(transaction: Transaction): void {
    this.commands.addBytes(EMPTY_DATA, this.options.timeouts.dataMs, () => this.finish(transaction));
    this.commands.flush();
  }

  private async sendMessage(transaction: Transaction): Promise<void> {
    const { dataMs } = this.options.timeouts;
    const framed = transaction.framed();
    const small = transaction.message.size <= STRETCH;
    // An answer may come before the final dot, when a server has seen enough.
    this.stream.expect({ timeoutMs: dataMs, onReply: (reply) => this.onFinalDot(transaction, reply) });
    if (!small && !(await this.sendStretches(transaction, framed))) return;
    transaction.dataSent = 'complete';
    const last = small ? framed : framed.slice(-1);
    if (this.overlaps) this.beginFollowing();
    this.commands.flush(last);
  }

  /** Everything but the final dot. @returns false when the transaction is over meanwhile */
  private async sendStretches(transaction: Transaction, framed: readonly Buffer[]): Promise<boolean> {
    transaction.dataSent = 'partial';
    for (const buffer of framed.slice(0, -1)) {
      for (let from = 0; from < buffer.length; from += STRETCH) {
        const stretch = buffer.subarray(from, from + STRETCH);
        if (!this.stream.write([stretch], stretch.length)) await this.stream.drained();
        if (this.current !== transaction || !this.stream.open) return false;
      }
    }
    return true;
  }

  private beginFollowing(): void {
    while (this.following === undefined && !this.leaving) {
      const handover = this.nextHandover();
      if (handover === undefined) return;
      this.following = this.begin(handover);
    }
  }

  private onFinalDot(transaction: Transaction, reply: SmtpReply): void {
    const early = transaction.dataSent !== 'complete';
    if (early && isPositive(reply)) return this.abandon('accepted a message before its end');
    transaction.settle(() => outcomeOf(reply, 'DATA', transaction.dataSent));
    // Some of the message is still to come and would be read as commands.
    if (early || reply.code === 421) return this.end();
    return this.finish(transaction);
  }

  /** The transaction has its outcome; the server must forget it (RFC 5321 §4.1.1.5). */
  private reset(transaction: Transaction): void {
    this.commands.add('RSET', this.options.timeouts.envelopeMs, (reply) => {
      if (!isPositive(reply)) this.end();
      else this.commands.flush();
    });
    this.finish(transaction);
  }

  private finish(transaction: Transaction): void {
    this.kept = true;
    transaction.settleRefused();
    this.current = this.following;
    this.following = undefined;
    this.commands.flush();
    if (this.leaving) void this.quit();
    else this.wake();
  }

  private abandon(text: string): void {
    this.stream.fail({ reason: 'protocol', text });
  }

  /** The stream failed: whatever has no answer yet will get none. */
  private lost(failure: StreamFailure): void {
    for (const transaction of [this.current, this.following]) {
      transaction?.settle(() =>
        connectionLost(
          `${failure.text} (${transaction.waitsFor})`,
          transaction.waitsFor,
          transaction.dataSent,
        ),
      );
    }
    this.close();
  }

  /** The server is leaving (421) or cannot be followed any more: settle and close. */
  private end(): void {
    this.lost({ reason: 'closed', text: 'the server is closing the connection' });
  }

  private close(): void {
    if (this.ended) return;
    this.ended = true;
    this.current = undefined;
    this.following = undefined;
    this.commands.clear();
    this.stream.end();
    this.owner.onClosed(this);
  }
}
