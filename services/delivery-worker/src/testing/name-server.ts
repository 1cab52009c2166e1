import { createSocket } from 'node:dgram';
import type { Socket } from 'node:dgram';
import { once } from 'node:events';
import dnsPacket from 'dns-packet';
import type { Answer, Question } from 'dns-packet';

/** `silence`: no answer at all. An empty list: the name exists without such records. */
export type Zone = (name: string, type: string) => Answer[] | 'NXDOMAIN' | 'SERVFAIL' | 'REFUSED' | 'silence';

const RCODES = { NXDOMAIN: 3, SERVFAIL: 2, REFUSED: 5 } as const;

/** A real name server on loopback that answers from a function and counts what it is asked. */
export class NameServer {
  /** `<type> <name>` in order */
  readonly asked: string[] = [];
  private constructor(
    private readonly socket: Socket,
    readonly address: string,
  ) {}

  static async start(zone: Zone): Promise<NameServer> {
    const socket = createSocket('udp4');
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    const server = new NameServer(socket, `127.0.0.1:${socket.address().port}`);
    socket.on('message', (message, peer) => {
      const { id, questions = [] } = dnsPacket.decode(message);
      const [question] = questions;
      const answer = question && server.answer(id ?? 0, question, zone);
      if (answer) socket.send(answer, peer.port, peer.address);
    });
    return server;
  }

  async stop(): Promise<void> {
    this.socket.close();
    await once(this.socket, 'close');
  }

  private answer(id: number, question: Question, zone: Zone): Buffer | undefined {
    this.asked.push(`${question.type} ${question.name}`);
    const found = zone(question.name.toLowerCase(), question.type);
    if (found === 'silence') return undefined;
    const flags = dnsPacket.RECURSION_DESIRED | dnsPacket.RECURSION_AVAILABLE;
    return Array.isArray(found)
      ? dnsPacket.encode({ type: 'response', id, flags, questions: [question], answers: found })
      : dnsPacket.encode({ type: 'response', id, flags: flags | RCODES[found], questions: [question] });
  }
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
