import { connectionFacts } from './open-connection.js';
import type { OpenConnection, TlsInfo } from './open-connection.js';
import type { SmtpTimeouts } from './timeouts.js';
import { connectionLost, outcomeOf, postponedFor } from './smtp-outcome.js';
import type { ConnectionFacts, SmtpCommand, SmtpOutcome } from './smtp-outcome.js';
import { isPositive } from './smtp-reply.js';
import type { SmtpReply } from './smtp-reply.js';
import { CommandQueue } from './smtp-stream.js';
import type { SmtpStream } from './smtp-stream.js';
import type { StreamFailure } from './socket-event.js';
import { EMPTY_DATA, frameData, localRejection, mailCommand, Transaction } from './smtp-transaction.js';
import type { Handover, OutgoingMessage } from './smtp-transaction.js';
import type { PeerProof } from '../tls/host-need.rules.js';

/** Gives a session its messages and is notified about its state. */
export interface SessionOwner {
  /** The next message for this session, if there is one; `leave` = close, others need the connection. */
  take(session: SmtpSession): Handover | 'leave' | undefined;
  /** Nothing to do: `wake` when there is. */
  onIdle(session: SmtpSession): void;
  /** Closed by either side; all its messages are settled. */
  onClosed(session: SmtpSession): void;
}

export interface SessionOptions {
  readonly timeouts: SmtpTimeouts;
  /** messages over one connection; then QUIT */
  readonly maxMessages: number;
  /** how long a large message is kept in memory while the server is silent */
  readonly lendAfterMs?: number | undefined;
}

// A message up to this size is written at once; a longer one in pieces, so that a stalled server is noticed.
const PIECE_BYTES = 256 * 1024;
// Messages that have the memory finish within seconds, or give it back.
const ASK_FOR_ROOM_MS = 10_000;
// A healthy server answers an envelope within this time; behind a slower one others may use the memory.
const LEND_AFTER_MS = 5_000;
const TOOK_TOO_LONG = 'the attempt took too long';

/**
 * Sends messages over one greeted connection. With PIPELINING (RFC 2920) MAIL, RCPT and DATA are one write, and the
 * envelope of the next message follows the final dot of this one: one round trip per message.
 */
export class SmtpSession {
  private readonly stream: SmtpStream;
  private readonly overlaps: boolean;
  private current: Transaction | undefined;
  /** its envelope was sent behind the final dot of the current one */
  private following: Transaction | undefined;
  private readonly commands: CommandQueue;
  private taken = 0;
  private leaving = false;
  private ended = false;
  /** Was idle or has carried messages: the server may have closed it meanwhile. */
  reused = false;

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

  get facts(): ConnectionFacts {
    return connectionFacts(this.connection);
  }

  get proof(): PeerProof {
    return this.connection.proof;
  }

  get tls(): TlsInfo | undefined {
    return this.connection.tls;
  }

  get closed(): boolean {
    return this.ended;
  }

  /** Ready for the next message. */
  get idle(): boolean {
    return !this.ended && !this.leaving && this.current === undefined;
  }

  /** Takes the next message when the session is idle. */
  wake(): void {
    while (this.idle) {
      const handover = this.nextHandover();
      if (handover === undefined) {
        this.reused = true;
        if (this.idle) this.owner.onIdle(this);
        return;
      }
      this.current = this.begin(handover);
      this.commands.flush();
    }
  }

  /** Sends QUIT, or leaves it to the end of the message in flight; resolves when the connection is closed. */
  async quit(): Promise<void> {
    this.leaving = true;
    if (this.ended || this.current !== undefined) return;
    const { stream } = this;
    if (stream.open && stream.outstanding === 0) {
      await stream.command('QUIT', this.options.timeouts.quitMs).catch(() => undefined);
    }
    this.close();
  }

  /** Closes at once; messages without a reply are settled as lost. */
  abort(text: string): void {
    this.stream.fail({ reason: 'closed', text });
    this.close();
  }

  /**
   * The time for an attempt is over: its transaction is cut, unless only the reply to the whole message is missing. The
   * session waits for that reply, or the message would arrive twice (RFC 5321 §4.5.3.2.6).
   */
  expire(handover: Handover): void {
    const { current, following } = this;
    // In front of it the reply to a whole message is due.
    if (following?.isOf(handover)) following.overdue = true;
    if (current?.isOf(handover) && current.dataSent !== 'complete') this.cutOverdue();
  }

  private cutOverdue(): void {
    this.stream.fail({ reason: 'timeout', text: TOOK_TOO_LONG });
  }

  private nextHandover(): Handover | undefined {
    const handover = this.taken < this.options.maxMessages ? this.owner.take(this) : 'leave';
    if (handover === undefined) return undefined;
    if (handover === 'leave') {
      this.leaving = true;
      // After a final dot its reply is still due.
      if (this.current === undefined) void this.quit();
      return undefined;
    }
    this.taken++;
    return handover;
  }

  /** @returns undefined when the message was rejected without asking the server */
  private begin(handover: Handover): Transaction | undefined {
    const transaction = new Transaction(handover);
    if (transaction.message === undefined) {
      void this.loadAndOffer(transaction);
      return transaction;
    }
    return this.offer(transaction, transaction.message) ? transaction : undefined;
  }

  /** Loads a large message, now that there is a connection for it. */
  private async loadAndOffer(transaction: Transaction): Promise<void> {
    const message = await transaction.load();
    if (transaction.isSettled) return;
    if (message === undefined) transaction.settle(noRoom);
    else if (this.offer(transaction, message)) return this.commands.flush();
    this.skip(transaction);
  }

  /** @returns false when the message was rejected without asking the server */
  private offer(transaction: Transaction, message: OutgoingMessage): boolean {
    const { capabilities } = this.connection;
    const rejection = localRejection(message, capabilities);
    if (rejection !== undefined) {
      transaction.settle(() => rejection);
      return false;
    }
    const { envelopeMs, dataMs } = this.options.timeouts;
    this.commands.add(mailCommand(message, capabilities), envelopeMs, (reply) =>
      this.onMail(transaction, reply),
    );
    this.commands.add(`RCPT TO:<${message.recipient}>`, envelopeMs, (reply) =>
      this.onRcpt(transaction, reply),
    );
    this.commands.add('DATA', dataMs, (reply) => this.onData(transaction, reply));
    transaction.lendAfter(this.options.lendAfterMs ?? LEND_AFTER_MS);
    return true;
  }

  /** It ended before the server was asked. */
  private skip(transaction: Transaction): void {
    if (this.following === transaction) {
      this.following = undefined;
      return;
    }
    this.current = undefined;
    this.goOn();
  }

  private onMail(transaction: Transaction, reply: SmtpReply): void {
    if (!isPositive(reply)) return this.rejected(transaction, 'MAIL FROM', reply);
    transaction.waitsFor = 'RCPT TO';
    return this.commands.flush();
  }

  private onRcpt(transaction: Transaction, reply: SmtpReply): void {
    if (!isPositive(reply)) return this.rejected(transaction, 'RCPT TO', reply);
    transaction.waitsFor = 'DATA';
    return this.commands.flush();
  }

  private rejected(transaction: Transaction, command: SmtpCommand, reply: SmtpReply): void {
    transaction.reject(command, reply);
    if (reply.code === 421) return this.end();
    // The rest of a pipelined group was sent already: its replies are still due.
    if (this.overlaps) return undefined;
    this.commands.clear();
    return this.reset(transaction);
  }

  private onData(transaction: Transaction, reply: SmtpReply): void {
    if (reply.code === 354)
      return transaction.rejected ? this.sendNothing(transaction) : void this.sendMessage(transaction);
    // 2xx to DATA is a protocol error; what such a server does with the message is unknown.
    if (reply.code < 400 && !transaction.rejected) return this.abandon('an answer to DATA that is none');
    transaction.reject('DATA', reply);
    if (reply.code === 421) return this.end();
    return this.reset(transaction);
  }

  /** RFC 2920 §3.1: DATA was accepted although RCPT was not: an empty message ends the transaction. */
  private sendNothing(transaction: Transaction): void {
    this.commands.addBytes(EMPTY_DATA, this.options.timeouts.dataMs, () => this.finish(transaction));
    this.commands.flush();
  }

  private async sendMessage(transaction: Transaction): Promise<void> {
    const { dataMs } = this.options.timeouts;
    transaction.keep();
    // The reply may come before the final dot, when the server rejects the message early.
    this.stream.expect({ timeoutMs: dataMs, onReply: (reply) => this.onFinalDot(transaction, reply) });
    const message = transaction.message ?? (await transaction.load());
    if (transaction.isSettled) return;
    if (message === undefined) return this.stopForRoom(transaction);
    const framed = frameData(message.chunks);
    const small = message.size <= PIECE_BYTES;
    if (!small && !(await this.sendPieces(transaction, framed))) return;
    transaction.dataSent = 'complete';
    const last = small ? framed : framed.slice(-1);
    if (this.overlaps) this.beginFollowing();
    this.commands.flush(last);
    transaction.letGo();
  }

  /**
   * The server waits for a message that was released while the server was slow: only closing the connection ends that.
   */
  private stopForRoom(transaction: Transaction): void {
    transaction.settle(noRoom);
    this.abandon('no room for the message');
  }

  /** All but the final dot. @returns false when the transaction ended meanwhile */
  private async sendPieces(transaction: Transaction, framed: readonly Buffer[]): Promise<boolean> {
    transaction.dataSent = 'partial';
    for (const buffer of framed.slice(0, -1)) {
      for (let from = 0; from < buffer.length; from += PIECE_BYTES) {
        const piece = buffer.subarray(from, from + PIECE_BYTES);
        if (!this.stream.write([piece], piece.length)) await this.stream.drained();
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
    // The rest of the message would be read as commands.
    if (early || reply.code === 421) return this.end();
    return this.finish(transaction);
  }

  /** The transaction has its outcome; RSET clears it on the server (RFC 5321 §4.1.1.5). */
  private reset(transaction: Transaction): void {
    this.commands.add('RSET', this.options.timeouts.envelopeMs, (reply) => {
      if (!isPositive(reply)) this.end();
      else this.commands.flush();
    });
    this.finish(transaction);
  }

  private finish(transaction: Transaction): void {
    this.reused = true;
    transaction.settleRejected();
    this.current = this.following;
    this.following = undefined;
    if (this.current?.overdue) return this.cutOverdue();
    this.commands.flush();
    return this.goOn();
  }

  private goOn(): void {
    if (this.leaving) void this.quit();
    else this.wake();
  }

  private abandon(text: string): void {
    this.stream.fail({ reason: 'protocol', text });
  }

  /** The stream failed: transactions without a reply are settled as lost. */
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

  /** The server closes the connection (421), or the session lost track of it: settle and close. */
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

/** No server was asked; the composer of the message records why it failed. */
const noRoom = (): SmtpOutcome => postponedFor(ASK_FOR_ROOM_MS, 'other large messages are being sent');
