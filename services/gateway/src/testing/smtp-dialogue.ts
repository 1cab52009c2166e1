import { once } from 'node:events';
import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** Speaks SMTP line by line. */
export class SmtpDialogue {
  private text = '';
  private wake: () => void = () => undefined;

  private constructor(private socket: Socket) {
    this.listen();
  }

  static async open(port: number): Promise<{ dialogue: SmtpDialogue; greeting: string }> {
    const socket = connectPlain(port, '127.0.0.1');
    await once(socket, 'connect');
    const dialogue = new SmtpDialogue(socket);
    return { dialogue, greeting: await dialogue.reply() };
  }

  async say(line: string): Promise<string> {
    this.socket.write(`${line}\r\n`);
    return this.reply();
  }

  /** @returns the certificate's subject */
  async startTls(): Promise<string> {
    this.socket.removeAllListeners();
    const secure = connectTls({ socket: this.socket, rejectUnauthorized: false });
    await once(secure, 'secureConnect');
    this.socket = secure;
    this.listen();
    return String(secure.getPeerCertificate().subject.CN);
  }

  end(): void {
    this.socket.destroy();
  }

  private listen(): void {
    this.socket.on('data', (chunk: Buffer) => {
      this.text += chunk.toString();
      this.wake();
    });
    this.socket.on('error', () => undefined);
  }

  /** A whole reply: its last line has a blank after the code (RFC 5321 §4.2.1). */
  private async reply(): Promise<string> {
    for (;;) {
      const end = /(?:^|\n)\d{3} [^\n]*\n/.exec(this.text);
      if (end) {
        const at = end.index + end[0].length;
        const reply = this.text.slice(0, at);
        this.text = this.text.slice(at);
        return reply.trimEnd();
      }
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }
}
