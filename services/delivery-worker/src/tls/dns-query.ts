import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { connect, isIPv6 } from 'node:net';
import type { HostAndPort } from '@postmesh/settings';
import dnsPacket from 'dns-packet';
import type { Answer, DecodedPacket, RecordType } from 'dns-packet';
import { withTimeout } from '@postmesh/concurrency';

/** The answer of a resolver about a name. */
export interface DnsReply {
  /** the resolver has validated all of it (AD, RFC 4035 §3.2.3) */
  readonly authentic: boolean;
  /** empty where the name has no such records, or does not exist */
  readonly answers: readonly Answer[];
  /** TTL of the answers, or of their absence */
  readonly ttlSeconds: number;
}

/** No resolver gave a usable answer: silence, SERVFAIL (a bogus signature among others), REFUSED. */
export class DnsTrouble extends Error {}

// A lost packet is sent again soon; a resolver that has to query many others gets more time.
const TRIES_MS = [1_500, 3_000, 5_000];
// RFC 9715: a size that passes without fragments nearly everywhere.
const UDP_BYTES = 1_232;
const NEGATIVE_TTL_S = 60;

/**
 * Queries that report whether the answer was validated, which Node's own resolver does not, and that support TLSA
 * records. Only for resolvers that are trusted to validate, over a network path that no other host can write to.
 */
export class DnsQueries {
  constructor(private readonly servers: readonly HostAndPort[]) {}

  /** @throws DnsTrouble */
  async ask(name: string, type: RecordType): Promise<DnsReply> {
    let trouble = 'there is no resolver';
    for (const tryMs of TRIES_MS) {
      for (const server of this.servers) {
        const packet = await query({ ...server, tryMs }, name, type).catch((error: unknown) => {
          trouble = error instanceof Error ? error.message : String(error);
        });
        if (packet === undefined) continue;
        if (packet.rcode === 'NOERROR' || packet.rcode === 'NXDOMAIN') return replyOf(packet);
        trouble = `the name server says ${packet.rcode}`;
      }
    }
    throw new DnsTrouble(trouble);
  }
}

// The types of dns-packet lack some parsed fields of the header.
type Packet = DecodedPacket & { readonly rcode: string };

function replyOf(packet: Packet): DnsReply {
  const answers = packet.answers ?? [];
  const ttls = answers.flatMap((answer) => ('ttl' in answer && answer.ttl !== undefined ? [answer.ttl] : []));
  return {
    authentic: packet.flag_ad,
    answers,
    ttlSeconds: ttls.length > 0 ? Math.min(...ttls) : NEGATIVE_TTL_S,
  };
}

interface Server extends HostAndPort {
  readonly tryMs: number;
}

async function query(server: Server, name: string, type: RecordType): Promise<Packet> {
  const id = randomInt(65_536);
  const bytes = dnsPacket.encode({
    type: 'query',
    id,
    // AD in a query requests the validation result (RFC 6840 §5.7).
    flags: dnsPacket.RECURSION_DESIRED | dnsPacket.AUTHENTIC_DATA,
    questions: [{ type, name }],
    additionals: [
      {
        type: 'OPT',
        name: '.',
        udpPayloadSize: UDP_BYTES,
        extendedRcode: 0,
        ednsVersion: 0,
        flags: 0,
        flag_do: false,
        options: [],
      },
    ],
  });
  const isReply = (packet: DecodedPacket) => {
    const [question] = packet.questions ?? [];
    const about = question?.type === type && question.name.toLowerCase() === name.toLowerCase();
    return packet.id === id && packet.type === 'response' && about;
  };
  const overUdp = await overSocket(askByUdp(server, bytes, isReply), server.tryMs);
  return overUdp.flag_tc ? overSocket(askByTcp(server, bytes, isReply), server.tryMs) : overUdp;
}

interface Asking {
  readonly reply: Promise<DecodedPacket>;
  readonly close: () => void;
}

async function overSocket({ reply, close }: Asking, tryMs: number): Promise<Packet> {
  try {
    return (await withTimeout(reply, tryMs, 'the name server')) as Packet;
  } finally {
    close();
  }
}

type IsReply = (packet: DecodedPacket) => boolean;

/** A socket of its own for every query: a random port that takes packets from this server only. */
function askByUdp({ host, port }: HostAndPort, bytes: Buffer, isReply: IsReply): Asking {
  const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4');
  const reply = new Promise<DecodedPacket>((resolve, reject) => {
    socket.on('error', reject);
    socket.on('message', (message) => {
      const packet = decoded(message);
      if (packet && isReply(packet)) resolve(packet);
    });
    socket.connect(port, host, () => socket.send(bytes));
  });
  return { reply, close: () => socket.close() };
}

/** RFC 7766: each packet after its length, in two bytes. */
function askByTcp({ host, port }: HostAndPort, bytes: Buffer, isReply: IsReply): Asking {
  const socket = connect({ host, port });
  const reply = new Promise<DecodedPacket>((resolve, reject) => {
    let received = Buffer.alloc(0);
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the name server closed the connection')));
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      if (received.length < 2 || received.length < 2 + received.readUInt16BE(0)) return;
      const packet = decoded(received.subarray(2, 2 + received.readUInt16BE(0)));
      if (packet && isReply(packet)) resolve(packet);
      else reject(new Error('the answer of the name server makes no sense'));
    });
    const length = Buffer.alloc(2);
    length.writeUInt16BE(bytes.length);
    socket.write(Buffer.concat([length, bytes]));
  });
  return { reply, close: () => socket.destroy() };
}

function decoded(message: Buffer): DecodedPacket | undefined {
  try {
    return dnsPacket.decode(message);
  } catch {
    return undefined;
  }
}
