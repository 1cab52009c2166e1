import { createSocket, type RemoteInfo, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import type { Logger } from '@postmesh/observability';
import dnsPacket, { type Packet } from 'dns-packet';
import { readQuery, responseWith } from './dns-message.rules.js';
import { FAILED } from './look-up.rules.js';
import type { NameService } from './name-service.js';

const HOST = '127.0.0.1';
// A free UDP port may be in use on TCP; this many failures in a row have another cause.
const MAX_PORT_DRAWS = 20;
const MAX_CONNECTIONS = 256;
// RFC 7766 §6.2.3 asks for a few seconds.
const IDLE_TIMEOUT_MS = 10_000;

/** A DNS server for UDP and TCP (RFC 1035, 7766, 6891) that answers from a NameService. */
export class DnsServer {
  private readonly connections = new Set<Socket>();

  private constructor(
    private readonly udp: UdpSocket,
    private readonly tcp: Server,
    private readonly names: NameService,
    private readonly logger: Logger,
  ) {
    const warn = (error: Error): void =>
      logger.warn({ event: 'dns.socket_failed', err: error }, 'a DNS socket failed');
    udp.on('message', (message, from) => void this.answerDatagram(message, from)).on('error', warn);
    tcp.on('connection', (socket) => void this.serveConnection(socket)).on('error', warn);
  }

  /** Listens on one free port for UDP and TCP. */
  static async start(names: NameService, logger: Logger): Promise<DnsServer> {
    for (let draw = 1; ; draw += 1) {
      const udp = createSocket('udp4');
      try {
        udp.bind(0, HOST);
        await once(udp, 'listening');
        const tcp = createServer();
        tcp.maxConnections = MAX_CONNECTIONS;
        tcp.listen(udp.address().port, HOST);
        await once(tcp, 'listening');
        return new DnsServer(udp, tcp, names, logger);
      } catch (error) {
        udp.close();
        if (draw >= MAX_PORT_DRAWS) throw error;
      }
    }
  }

  /** In the form of resolver settings: `127.0.0.1:5353`. */
  get address(): string {
    return `${HOST}:${this.udp.address().port}`;
  }

  async stop(): Promise<void> {
    for (const socket of this.connections) socket.destroy();
    await Promise.all([
      new Promise<void>((resolve) => this.tcp.close(() => resolve())),
      new Promise<void>((resolve) => this.udp.close(() => resolve())),
    ]);
  }

  private async answerDatagram(message: Buffer, from: RemoteInfo): Promise<void> {
    const response = await this.respond(message, 'udp');
    if (response === undefined) return;
    try {
      this.udp.send(dnsPacket.encode(response), from.port, from.address, () => {});
    } catch {
      // The client is gone or its port is invalid (0): a datagram may be lost, and its sender retries.
    }
  }

  /** Answers the questions of a TCP connection in order; each begins with two octets of length (RFC 1035 §4.2.2). */
  private async serveConnection(socket: Socket): Promise<void> {
    this.connections.add(socket);
    socket.setTimeout(IDLE_TIMEOUT_MS, () => socket.destroy());
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.connections.delete(socket));
    let rest: Buffer = Buffer.alloc(0);
    try {
      for await (const chunk of socket as AsyncIterable<Buffer>) {
        rest = Buffer.concat([rest, chunk]);
        while (rest.length >= 2 && rest.length >= 2 + rest.readUInt16BE(0)) {
          const end = 2 + rest.readUInt16BE(0);
          const response = await this.respond(rest.subarray(2, end), 'tcp');
          if (response !== undefined) socket.write(dnsPacket.streamEncode(response));
          rest = rest.subarray(end);
        }
      }
    } catch {
      // The client is gone.
    }
  }

  private async respond(message: Buffer, transport: 'udp' | 'tcp'): Promise<Packet | undefined> {
    const reading = readQuery(message);
    if (reading === 'ignore') return undefined;
    if ('error' in reading) return reading.error;
    const { query } = reading;
    const { name, type } = query.question;
    try {
      const result = await this.names.answer(name, type);
      return result.outcome === 'silent' ? undefined : responseWith(result, query, transport);
    } catch (error) {
      this.logger.error({ event: 'dns.answer_failed', err: error, type }, 'a DNS answer failed');
      return responseWith(FAILED, query, transport);
    }
  }
}
