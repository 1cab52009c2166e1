import type { Socket } from 'node:net';
import { connect as tlsConnect, TLSSocket } from 'node:tls';
import type { ConnectionOptions } from 'node:tls';
import { openSocket } from './open-socket.js';
import type { SocketTarget } from './open-socket.js';
import { ProtocolViolation, ReplyParser } from './smtp-reply.js';
import type { SmtpReply } from './smtp-reply.js';
import { socketEvent, StreamBroken } from './socket-event.js';
import type { StreamFailure } from './socket-event.js';

interface StreamTarget extends SocketTarget {
  readonly goodbyeMs: number;
}

interface Expectation {
  readonly timeoutMs: number;
  readonly onReply: (reply: SmtpReply) => void;
}

// Below this, joining buffers is cheaper than writing them one by one: one segment run, one TLS record.
const JOIN_UP_TO = 64 * 1024;

/**
 * Commands and their replies, in order, over a socket: one timer for the reply that is due next, and one failure at
 * the end, reported by `onFailure`.
 */
export class SmtpStream {
  private readonly parser = new ReplyParser();
  private readonly expected: Expectation[] = [];
  private timer: NodeJS.Timeout | undefined;
  private failure: StreamFailure | undefined;
  onFailure: (failure: StreamFailure) => void = () => undefined;

  private constructor(
    private socket: Socket,
    private readonly goodbyeMs: number,
  ) {
    this.listen();
  }

  /** @throws StreamBroken when there is no connection in time, ProxyBroken when the proxy of the source makes none */
  static async connect(target: StreamTarget, tls?: ConnectionOptions): Promise<SmtpStream> {
    const socket = await openSocket(target);
    if (tls === undefined) return new SmtpStream(socket, target.goodbyeMs);
    const secure = tlsConnect({ ...tls, socket });
    await socketEvent(secure, 'secureConnect', target.connectMs);
    return new SmtpStream(secure, target.goodbyeMs);
  }

  /**
   * Continues over TLS after the server agreed to STARTTLS.
   * @throws StreamBroken when the handshake fails, or when the server sent more than its reply in clear text: the rest
   * would be read as sent under TLS (command injection)
   */
  async upgrade(options: ConnectionOptions, timeoutMs: number): Promise<TLSSocket> {
    if (this.failure !== undefined) throw new StreamBroken(this.failure);
    if (!this.parser.empty || this.expected.length > 0)
      throw this.broken('protocol', 'more than a reply to STARTTLS');
    this.socket.removeAllListeners();
    const secure = tlsConnect({ ...options, socket: this.socket });
    try {
      await socketEvent(secure, 'secureConnect', timeoutMs);
    } catch (error) {
      this.fail({ reason: 'reset', text: error instanceof Error ? error.message : 'TLS handshake failed' });
      throw error;
    }
    this.socket = secure;
    this.listen();
    return secure;
  }

  get open(): boolean {
    return this.failure === undefined;
  }

  get tls(): TLSSocket | undefined {
    return this.socket instanceof TLSSocket ? this.socket : undefined;
  }

  /** Number of replies that are still due. */
  get outstanding(): number {
    return this.expected.length;
  }

  expect(expectation: Expectation): void {
    this.expected.push(expectation);
    if (this.expected.length === 1) this.arm();
  }

  /** @returns false when the socket is full: wait with `drained` before writing more */
  write(buffers: readonly Buffer[], bytes: number): boolean {
    if (!this.open) return true;
    if (bytes <= JOIN_UP_TO)
      return this.socket.write(buffers.length === 1 && buffers[0] ? buffers[0] : Buffer.concat(buffers));
    this.socket.cork();
    let room = true;
    for (const buffer of buffers) room = this.socket.write(buffer);
    this.socket.uncork();
    return room;
  }

  /** Waits until the socket takes more, or the stream failed. The timer of the due reply starts again. */
  async drained(): Promise<void> {
    await new Promise<void>((resolve) => {
      const done = () => {
        this.socket.off('drain', done).off('close', done);
        resolve();
      };
      this.socket.on('drain', done).on('close', done);
      if (!this.open) done();
    });
    if (this.open) this.arm();
  }

  /** Sends one command and waits for its reply. @throws StreamBroken */
  command(line: string, timeoutMs: number): Promise<SmtpReply> {
    const bytes = Buffer.from(line === '' ? '' : `${line}\r\n`, 'utf8');
    return new Promise((resolve, reject) => {
      if (this.failure !== undefined) return reject(new StreamBroken(this.failure));
      this.onFailure = (failure) => reject(new StreamBroken(failure));
      this.expect({ timeoutMs, onReply: resolve });
      if (bytes.length > 0) this.write([bytes], bytes.length);
      return undefined;
    });
  }

  /**
   * Ends our side; the socket closes once everything is written. A server that keeps its side open, or continues to
   * send, is cut off: an idle timeout would start again with each byte.
   */
  end(): void {
    if (!this.open) return;
    this.stop({ reason: 'closed', text: 'closed by us' });
    const { socket } = this;
    const cut = setTimeout(() => socket.destroy(), this.goodbyeMs);
    socket.once('close', () => clearTimeout(cut));
    socket.end();
  }

  /** Closes at once and reports it by `onFailure`. */
  fail(failure: StreamFailure): void {
    if (!this.open) return;
    this.stop(failure);
    this.socket.destroy();
    this.onFailure(failure);
  }

  private listen(): void {
    this.socket.on('data', (chunk: Buffer) => this.receive(chunk));
    this.socket.on('error', (error) => this.fail({ reason: 'reset', text: error.message }));
    this.socket.on('close', () => this.fail({ reason: 'closed', text: 'the server closed the connection' }));
  }

  private receive(chunk: Buffer): void {
    if (!this.open) return;
    try {
      for (const reply of this.parser.push(chunk)) this.dispatch(reply);
    } catch (error) {
      if (!(error instanceof ProtocolViolation)) throw error;
      this.fail({ reason: 'protocol', text: error.message });
    }
  }

  private dispatch(reply: SmtpReply): void {
    if (!this.open) return;
    const expectation = this.expected.shift();
    if (expectation === undefined) {
      const reason = reply.code === 421 ? 'closed' : 'protocol';
      return this.fail({ reason, text: `unasked: ${reply.code} ${reply.lines.join(' ')}`.slice(0, 300) });
    }
    expectation.onReply(reply);
    if (this.open) this.arm();
  }

  /** The timer of a reply starts when it is the next one due. */
  private arm(): void {
    clearTimeout(this.timer);
    const due = this.expected[0];
    if (due === undefined) return;
    this.timer = setTimeout(() => {
      this.fail({ reason: 'timeout', text: `no reply within ${Math.ceil(due.timeoutMs / 1000)} s` });
    }, due.timeoutMs);
  }

  private stop(failure: StreamFailure): void {
    this.failure = failure;
    this.expected.length = 0;
    clearTimeout(this.timer);
  }

  private broken(reason: StreamFailure['reason'], text: string): StreamBroken {
    this.fail({ reason, text });
    return new StreamBroken({ reason, text });
  }
}

interface Command {
  readonly bytes: Buffer;
  readonly timeoutMs: number;
  readonly onReply: (reply: SmtpReply) => void;
}

/** Commands to be sent: all at once to a server with PIPELINING (RFC 2920), else one after another. */
export class CommandQueue {
  private commands: Command[] = [];

  constructor(
    private readonly stream: SmtpStream,
    private readonly pipelining: boolean,
  ) {}

  add(line: string, timeoutMs: number, onReply: Command['onReply']): void {
    this.addBytes(Buffer.from(`${line}\r\n`, 'utf8'), timeoutMs, onReply);
  }

  addBytes(bytes: Buffer, timeoutMs: number, onReply: Command['onReply']): void {
    this.commands.push({ bytes, timeoutMs, onReply });
  }

  /** Drops the commands that were not sent yet. */
  clear(): void {
    this.commands = [];
  }

  /**
   * Sends the commands that may be sent now.
   * @param first written before them in the same write: the end of a message
   */
  flush(first: readonly Buffer[] = []): void {
    const now = this.next();
    if (now.length === 0 && first.length === 0) return;
    for (const { timeoutMs, onReply } of now) this.stream.expect({ timeoutMs, onReply });
    const buffers = [...first, ...now.map(({ bytes }) => bytes)];
    this.stream.write(
      buffers,
      buffers.reduce((sum, buffer) => sum + buffer.length, 0),
    );
  }

  private next(): Command[] {
    if (this.pipelining) return this.commands.splice(0);
    return this.stream.outstanding === 0 ? this.commands.splice(0, 1) : [];
  }
}
