import type { SmtpReply } from './smtp-reply.js';
import type { SmtpStream } from './smtp-stream.js';

interface Command {
  readonly bytes: Buffer;
  readonly timeoutMs: number;
  readonly onReply: (reply: SmtpReply) => void;
}

/** Commands on their way to a server: all at once where it pipelines (RFC 2920), one by one where it does not. */
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

  /** Forgets what was not sent yet. */
  clear(): void {
    this.commands = [];
  }

  /**
   * Sends what may be sent now.
   * @param first goes before it in the same write: the end of a message
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
