import { createSocket } from 'node:dgram';
import type { Socket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Server } from 'node:net';
import dnsPacket from 'dns-packet';
import type { Answer } from 'dns-packet';

/** An empty list: the name exists without such records. */
type Found = Answer[] | 'NXDOMAIN';

/** `silence`: no answer at all. `validated`: the answer has the AD flag, as a validating resolver sets it. */
export type Zone = (
  name: string,
  type: string,
) => Found | { validated: Found } | 'SERVFAIL' | 'REFUSED' | 'silence';

const RCODES = { NXDOMAIN: 3, SERVFAIL: 2, REFUSED: 5 } as const;
const MOST_OVER_UDP = 1_232;

/** A real name server on loopback that answers from a function and counts the queries. */
export class NameServer {
  /** `<type> <name>` in order */
  readonly asked: string[] = [];
  private constructor(
    private readonly udp: Socket,
    private readonly tcp: Server,
    readonly address: string,
  ) {}

  /** @param wanted a port that another one had before; default: a free one */
  static async start(zone: Zone, wanted = 0): Promise<NameServer> {
    const tcp = createServer();
    tcp.listen(wanted, '127.0.0.1');
    await once(tcp, 'listening');
    const { port } = tcp.address() as { port: number };
    const udp = createSocket('udp4');
    udp.bind(port, '127.0.0.1');
    try {
      await once(udp, 'listening');
    } catch (error) {
      // Another process has the same port for UDP.
      tcp.close();
      if (wanted !== 0) throw error;
      return NameServer.start(zone);
    }
    const server = new NameServer(udp, tcp, `127.0.0.1:${port}`);
    udp.on('message', (message, peer) => {
      const answer = server.answer(message, zone);
      if (!answer) return;
      const short = answer.length > MOST_OVER_UDP ? truncated(message) : answer;
      udp.send(short, peer.port, peer.address);
    });
    tcp.on('connection', (socket) => {
      socket.on('error', () => undefined);
      socket.on('data', (bytes: Buffer) => {
        const answer = server.answer(bytes.subarray(2), zone);
        if (answer)
          socket.end(Buffer.concat([Buffer.from([answer.length >> 8, answer.length & 0xff]), answer]));
      });
    });
    return server;
  }

  get port(): number {
    return Number(this.address.split(':')[1]);
  }

  async stop(): Promise<void> {
    this.udp.close();
    this.tcp.close();
    await Promise.all([once(this.udp, 'close'), once(this.tcp, 'close')]);
  }

  private answer(message: Buffer, zone: Zone): Buffer | undefined {
    const { id, questions = [] } = dnsPacket.decode(message);
    const [question] = questions;
    if (question === undefined) return undefined;
    this.asked.push(`${question.type} ${question.name}`);
    const given = zone(question.name.toLowerCase(), question.type);
    if (given === 'silence') return undefined;
    const isValidated = typeof given === 'object' && 'validated' in given;
    const found = isValidated ? given.validated : given;
    const flags =
      dnsPacket.RECURSION_DESIRED |
      dnsPacket.RECURSION_AVAILABLE |
      (isValidated ? dnsPacket.AUTHENTIC_DATA : 0) |
      (Array.isArray(found) ? 0 : RCODES[found]);
    const answers = Array.isArray(found) ? found : [];
    return dnsPacket.encode({ type: 'response', id, flags, questions: [question], answers });
  }
}

function truncated(message: Buffer): Buffer {
  const { id, questions } = dnsPacket.decode(message);
  return dnsPacket.encode({ type: 'response', id, flags: dnsPacket.TRUNCATED_RESPONSE, questions });
}

export const mx = (name: string, exchange: string, preference: number): Answer => ({
  type: 'MX',
  name,
  ttl: 60,
  data: { exchange, preference },
});
export const a = (name: string, address: string, ttl = 60): Answer => ({
  type: 'A',
  name,
  ttl,
  data: address,
});
export const aaaa = (name: string, address: string, ttl = 60): Answer => ({
  type: 'AAAA',
  name,
  ttl,
  data: address,
});
export const txt = (name: string, text: string): Answer => ({ type: 'TXT', name, ttl: 60, data: text });
export const cname = (name: string, target: string): Answer => ({
  type: 'CNAME',
  name,
  ttl: 60,
  data: target,
});
export const tlsa = (
  name: string,
  fields: readonly [number, number, number],
  certificate: Buffer,
): Answer => {
  const [usage, selector, matchingType] = fields;
  return { type: 'TLSA', name, ttl: 60, data: { usage, selector, matchingType, certificate } };
};
