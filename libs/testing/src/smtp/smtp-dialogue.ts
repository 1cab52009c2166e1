import { once } from 'node:events';
import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** Speaks SMTP line by line. */
export class SmtpDialogue {
  private text = '';
  private wake: () => void = () => undefined;
  private closed = false;

  private constructor(private socket: Socket) {
    this.listen();
  }

  static async open(
    port: number,
    from: { localAddress?: string } = {},
  ): Promise<{ dialogue: SmtpDialogue; greeting: string }> {
    const socket = connectPlain({ port, host: '127.0.0.1', ...from });
    await once(socket, 'connect');
    const dialogue = new SmtpDialogue(socket);
    return { dialogue, greeting: await dialogue.reply() };
  }

  /** After STARTTLS and a second EHLO. */
  static async secure(port: number, from: { localAddress?: string } = {}): Promise<SmtpDialogue> {
    const { dialogue } = await SmtpDialogue.open(port, from);
    await dialogue.say('EHLO client.test');
    await dialogue.say('STARTTLS');
    await dialogue.startTls();
    await dialogue.say('EHLO client.test');
    return dialogue;
  }

  async say(line: string): Promise<string> {
    this.send(`${line}\r\n`);
    return this.reply();
  }

  /** Bytes as they are. */
  send(bytes: string | Buffer): void {
    this.socket.write(bytes);
  }

  /** @param message with its line ends; a CRLF is added before the dot that ends it */
  async data(message: string | Buffer): Promise<string> {
    const go = await this.say('DATA');
    if (!go.startsWith('354')) return go;
    this.send(message);
    return this.say('\r\n.');
  }

  /** @returns the certificate's subject */
  async startTls(options: { maxVersion?: 'TLSv1.1' | 'TLSv1.2' } = {}): Promise<string> {
    this.socket.removeAllListeners();
    const secure = connectTls({ socket: this.socket, rejectUnauthorized: false, ...options });
    await once(secure, 'secureConnect');
    this.socket = secure;
    this.listen();
    return String(secure.getPeerCertificate().subject.CN);
  }

  end(): void {
    this.socket.destroy();
  }

  /** Ends the sending side. */
  finish(): void {
    this.socket.end();
  }

  /** The rest of the server's output before it closes. */
  async rest(): Promise<string> {
    await this.ended();
    return this.text;
  }

  /** Resolves when the server has closed the connection. */
  async ended(): Promise<void> {
    while (!this.closed) await new Promise<void>((resolve) => (this.wake = resolve));
  }

  private listen(): void {
    this.socket.on('data', (chunk: Buffer) => {
      this.text += chunk.toString();
      this.wake();
    });
    const close = () => {
      this.closed = true;
      this.wake();
    };
    this.socket.on('end', close).on('close', close);
    this.socket.on('error', () => undefined);
  }

  /** A whole reply: its last line has a blank after the code (RFC 5321 §4.2.1). Empty when the server has closed. */
  async reply(): Promise<string> {
    for (;;) {
      const end = /(?:^|\n)\d{3} [^\n]*\n/.exec(this.text);
      if (end) {
        const at = end.index + end[0].length;
        const reply = this.text.slice(0, at);
        this.text = this.text.slice(at);
        return reply.trimEnd();
      }
      if (this.closed) return '';
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }
}
