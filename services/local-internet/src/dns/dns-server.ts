import { createSocket, type RemoteInfo, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import type { LocalInternetLogger } from '../logger.js';
import type { NameService } from './name-service.js';
import { readQuery, writeReply } from './packet.rules.js';
import { splitMessages } from './tcp-messages.js';

export interface DnsServerOptions {
  host: string;
  /** 0 = a free port, the same for UDP and TCP. */
  port: number;
  names: NameService;
  logger: LocalInternetLogger;
}

// A free UDP port may be taken on TCP; so many unlucky draws in a row mean something else is wrong.
const PORT_TRIES = 20;
const MOST_CONNECTIONS = 256;
// RFC 7766 §6.2.3 asks for a few seconds.
const IDLE_MS = 10_000;

/** A DNS server for UDP and TCP (RFC 1035, 7766, 6891) that answers from a NameService. */
export class DnsServer {
  private readonly connections = new Set<Socket>();

  private constructor(
    private readonly options: DnsServerOptions,
    private readonly udp: UdpSocket,
    private readonly tcp: Server,
  ) {
    udp.on('message', (message, from) => void this.answerDatagram(message, from));
    udp.on('error', (error) => options.logger.warn({ err: error }, 'dns: udp socket'));
    tcp.on('connection', (socket) => this.serveConnection(socket));
    tcp.on('error', (error) => options.logger.warn({ err: error }, 'dns: tcp socket'));
  }

  static async start(options: DnsServerOptions): Promise<DnsServer> {
    for (let attempt = 1; ; attempt += 1) {
      const udp = createSocket(options.host.includes(':') ? 'udp6' : 'udp4');
      try {
        udp.bind(options.port, options.host);
        await once(udp, 'listening');
        const tcp = createServer();
        tcp.maxConnections = MOST_CONNECTIONS;
        tcp.listen(udp.address().port, options.host);
        await once(tcp, 'listening');
        return new DnsServer(options, udp, tcp);
      } catch (error) {
        udp.close();
        if (options.port !== 0 || attempt >= PORT_TRIES) throw error;
      }
    }
  }

  /** In the form that resolvers take: `127.0.0.1:5353`, `[::1]:5353`. */
  get address(): string {
    const { address, port, family } = this.udp.address();
    return family === 'IPv6' ? `[${address}]:${port}` : `${address}:${port}`;
  }

  async stop(): Promise<void> {
    for (const socket of this.connections) socket.destroy();
    await Promise.all([
      new Promise<void>((resolve) => this.tcp.close(() => resolve())),
      new Promise<void>((resolve) => this.udp.close(() => resolve())),
    ]);
  }

  private async answerDatagram(message: Buffer, from: RemoteInfo): Promise<void> {
    const reply = await this.reply(message, 'udp');
    if (reply === undefined) return;
    try {
      this.udp.send(reply, from.port, from.address, () => {
        // The asker is gone or the port is odd (0): a datagram may be lost, and its sender asks again.
      });
    } catch (error) {
      this.options.logger.debug({ err: error }, 'dns: answer not sent');
    }
  }

  private serveConnection(socket: Socket): void {
    this.connections.add(socket);
    socket.setTimeout(IDLE_MS, () => socket.destroy());
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.connections.delete(socket));
    splitMessages(socket, async (message) => {
      const reply = await this.reply(message, 'tcp');
      if (reply === undefined || socket.destroyed) return;
      const length = Buffer.alloc(2);
      length.writeUInt16BE(reply.length);
      socket.write(Buffer.concat([length, reply]));
    });
  }

  private async reply(message: Buffer, transport: 'udp' | 'tcp'): Promise<Buffer | undefined> {
    const reading = readQuery(message);
    if (reading === 'ignore') return undefined;
    if ('refuse' in reading) return reading.refuse;
    const { query } = reading;
    try {
      return writeReply(
        query,
        await this.options.names.answer(query.question.name, query.question.type),
        transport,
      );
    } catch (error) {
      this.options.logger.error({ err: error, type: query.question.type }, 'dns: no answer could be written');
      return writeReply(query, { outcome: 'failed', records: [], byDefault: false }, transport);
    }
  }
}
