import { promises as dns } from 'node:dns';
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { createLogger } from '@postmesh/observability';
import {
  startLocalInternet,
  type LocalInternet,
  type LocalInternetOptions,
  type PublishedZone,
} from './index.js';

export const silentLogger = createLogger({ logLevel: 'silent' }, 'test');

export const NOTHING_PUBLISHED: PublishedZone = { domains: [], serviceRecords: [] };

export interface TestInternet extends LocalInternet {
  resolver: dns.Resolver;
  /** The records that the service lists; tests change them. */
  published: { zone: PublishedZone; readings: number; fails: boolean };
}

/** A local internet on free ports, with records of the test. */
export async function startTestInternet(options: Partial<LocalInternetOptions> = {}): Promise<TestInternet> {
  const published = { zone: NOTHING_PUBLISHED, readings: 0, fails: false };
  const internet = await startLocalInternet({
    mailboxPort: 0,
    logger: silentLogger,
    recordsSource: async () => {
      published.readings += 1;
      if (published.fails) throw new Error('the service is down');
      return structuredClone(published.zone);
    },
    ...options,
  });
  return { ...internet, resolver: resolverFor(internet.dnsAddress), published };
}

function resolverFor(address: string): dns.Resolver {
  const resolver = new dns.Resolver({ timeout: 20_000, tries: 1 });
  resolver.setServers([address]);
  return resolver;
}

/** A plain SMTP client that returns every reply. */
export class RawSmtp {
  private buffered = '';
  private waiting: { resolve(reply: string): void; reject(error: Error): void }[] = [];
  private ended: Error | undefined;

  private constructor(private socket: Socket) {
    this.listen();
  }

  static async connect(port: number, address = '127.0.0.1'): Promise<RawSmtp> {
    const client = RawSmtp.dial(port, address);
    await client.reply();
    return client;
  }

  /** As `connect`, without waiting for a greeting. */
  static dial(port: number, address: string): RawSmtp {
    return new RawSmtp(connectTcp(port, address));
  }

  /** One reply with all its lines; rejects when the connection ends before. */
  reply(): Promise<string> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ resolve, reject });
      this.settle();
    });
  }

  send(text: string | Buffer): void {
    this.socket.write(text);
  }

  async command(line: string): Promise<string> {
    this.send(`${line}\r\n`);
    return this.reply();
  }

  async startTls(options: ConnectionOptions = {}): Promise<TLSSocket> {
    await this.command('STARTTLS');
    this.socket.removeAllListeners();
    const secure = connectTls({ socket: this.socket, rejectUnauthorized: false, ...options });
    await new Promise<void>((resolve, reject) => secure.once('secureConnect', resolve).once('error', reject));
    this.socket = secure;
    this.listen();
    await this.command('EHLO client.test');
    return secure;
  }

  /** @returns the reply to the final dot */
  async deliver(from: string, to: readonly string[], message: string): Promise<string> {
    await this.command(`MAIL FROM:<${from}>`);
    for (const address of to) await this.command(`RCPT TO:<${address}>`);
    await this.command('DATA');
    return this.command(`${message.replace(/^\./gm, '..')}\r\n.`);
  }

  close(): void {
    this.socket.destroy();
  }

  private listen(): void {
    this.socket.on('data', (chunk: Buffer) => {
      this.buffered += chunk.toString();
      this.settle();
    });
    this.socket.on('error', (error) => this.end(error));
    this.socket.on('close', () => this.end(new Error('connection closed')));
  }

  private end(error: Error): void {
    this.ended ??= error;
    this.settle();
  }

  private settle(): void {
    while (this.waiting.length > 0) {
      const reply = /^(?:\d{3}-.*\r\n)*\d{3} .*\r\n/.exec(this.buffered)?.[0];
      if (reply === undefined) break;
      this.buffered = this.buffered.slice(reply.length);
      this.waiting.shift()?.resolve(reply.trimEnd());
    }
    if (this.ended !== undefined) for (const { reject } of this.waiting.splice(0)) reject(this.ended);
  }
}

/** Sends one message over a connection of its own. */
export async function sendMessage(
  internet: LocalInternet,
  {
    from = 'sender@example.test',
    to = ['someone@example.test'],
    message = 'Subject: hello\r\n\r\nHello\r\n',
    tls = false,
  },
): Promise<string> {
  const client = await RawSmtp.connect(internet.sinkPort);
  try {
    await client.command('EHLO client.test');
    if (tls) await client.startTls();
    return await client.deliver(from, to, message);
  } finally {
    client.close();
  }
}
