import dnsPacket, { type Answer, type OptAnswer, type Packet, type Question } from 'dns-packet';
import type { Reply } from './name-service.js';

const HEADER_BYTES = 12;
const RESPONSE_BIT = 0x80;
/** What every resolver takes without EDNS (RFC 1035 §4.2.1). */
const PLAIN_UDP_BYTES = 512;
/** What we send at most over UDP, whatever the asker offers (RFC 6891 §6.2.5). */
const LARGEST_UDP_BYTES = 4096;

const RCODE = { ok: 0, malformed: 1, failed: 2, noName: 3, notImplemented: 4, refused: 5 } as const;
const BAD_VERSION = 16;

// Records may change at any moment and a test asks right after: nobody is to keep an answer for long,
// nor a "no such name" at all.
const TTL_SECONDS = 1;

export interface Query {
  id: number;
  recursionDesired: boolean;
  question: Question;
  /** Present when the asker speaks EDNS. */
  payloadBytes: number | undefined;
}

/** `ignore`: answering would be wrong (a response, or no header); `refuse`: answer with this packet. */
export type Reading = { query: Query } | { refuse: Buffer } | 'ignore';

/** Reads one message from the wire; never throws, whatever the bytes. */
export function readQuery(message: Buffer): Reading {
  if (message.length < HEADER_BYTES || ((message[2] ?? 0) & RESPONSE_BIT) !== 0) return 'ignore';
  const id = message.readUInt16BE(0);
  const opcode = ((message[2] ?? 0) >> 3) & 0xf;
  if (opcode !== 0) return { refuse: bare(id, RCODE.notImplemented, opcode) };
  let packet: Packet;
  try {
    packet = dnsPacket.decode(message);
  } catch {
    return { refuse: bare(id, RCODE.malformed) };
  }
  const question = packet.questions?.length === 1 ? packet.questions[0] : undefined;
  if (question === undefined || !survivesEncoding(message, question))
    return { refuse: bare(id, RCODE.malformed) };
  const query = { id, recursionDesired: ((packet.flags ?? 0) & dnsPacket.RECURSION_DESIRED) !== 0, question };
  const options = packet.additionals?.find((record): record is OptAnswer => record.type === 'OPT');
  if (options !== undefined && options.ednsVersion > 0) return { refuse: badVersion(query) };
  if (question.class !== 'IN' && question.class !== 'ANY') return { refuse: refused(query) };
  return { query: { ...query, payloadBytes: options?.udpPayloadSize } };
}

/** A label may hold any octet, our strings may not: only a question that we can repeat exactly is answered. */
function survivesEncoding(message: Buffer, question: Question): boolean {
  try {
    const again = dnsPacket.encode({ type: 'query', questions: [{ ...question }] }).subarray(HEADER_BYTES);
    return message.subarray(HEADER_BYTES, HEADER_BYTES + again.length).equals(again);
  } catch {
    return false;
  }
}

function bare(id: number, rcode: number, opcode = 0): Buffer {
  return dnsPacket.encode({ type: 'response', id, flags: (opcode << 11) | rcode });
}

function refused(query: Omit<Query, 'payloadBytes'>): Buffer {
  return dnsPacket.encode(packetOf({ ...query, payloadBytes: undefined }, RCODE.refused));
}

function badVersion(query: Omit<Query, 'payloadBytes'>): Buffer {
  const packet = packetOf({ ...query, payloadBytes: LARGEST_UDP_BYTES }, BAD_VERSION & 0xf);
  packet.additionals = [optionsRecord(BAD_VERSION >> 4)];
  return dnsPacket.encode(packet);
}

/**
 * @param transport over UDP an answer that does not fit is cut to an empty one with TC, so the asker
 *   comes again over TCP (RFC 2181 §9)
 */
export function writeReply(query: Query, reply: Reply, transport: 'udp' | 'tcp'): Buffer {
  const packet = packetOf(query, rcodeOf(reply));
  packet.answers = reply.records.map(({ owner, record }) => ({
    name: owner,
    class: 'IN',
    ttl: TTL_SECONDS,
    ...record,
  }));
  if (reply.outcome === 'no-data' || reply.outcome === 'no-name') {
    packet.authorities = [startOfAuthority(reply.records.at(-1)?.record.data ?? query.question.name)];
  }
  const whole = dnsPacket.encode(packet);
  if (whole.length <= largest(query, transport)) return whole;
  const short = packetOf(query, rcodeOf(reply));
  short.flags = (short.flags ?? 0) | dnsPacket.TRUNCATED_RESPONSE;
  return dnsPacket.encode(short);
}

function largest(query: Query, transport: 'udp' | 'tcp'): number {
  if (transport === 'tcp') return 0xffff;
  const offered = query.payloadBytes ?? PLAIN_UDP_BYTES;
  return Math.min(Math.max(offered, PLAIN_UDP_BYTES), LARGEST_UDP_BYTES);
}

function packetOf(query: Query, rcode: number): Packet {
  const authority = rcode === RCODE.failed || rcode === RCODE.refused ? 0 : dnsPacket.AUTHORITATIVE_ANSWER;
  const desired = query.recursionDesired ? dnsPacket.RECURSION_DESIRED : 0;
  return {
    type: 'response',
    id: query.id,
    flags: authority | desired | dnsPacket.RECURSION_AVAILABLE | rcode,
    // A copy, since the encoder may fill in what is missing; the name keeps the letter case it was asked in.
    questions: [{ ...query.question }],
    additionals: query.payloadBytes === undefined ? [] : [optionsRecord(0)],
  };
}

function rcodeOf(reply: Reply): number {
  switch (reply.outcome) {
    case 'found':
    case 'no-data':
      return RCODE.ok;
    case 'no-name':
      return RCODE.noName;
    default:
      return RCODE.failed;
  }
}

function optionsRecord(extendedRcode: number): OptAnswer {
  return {
    type: 'OPT',
    name: '.',
    udpPayloadSize: LARGEST_UDP_BYTES,
    extendedRcode,
    ednsVersion: 0,
    flags: 0,
    flag_do: false,
    options: [],
  };
}

function startOfAuthority(lastName: unknown): Answer {
  const zone = typeof lastName === 'string' ? (lastName.split('.').at(-1) ?? '.') : '.';
  return {
    type: 'SOA',
    name: zone === '' ? '.' : zone,
    class: 'IN',
    ttl: 0,
    data: {
      mname: 'ns.local-internet.test',
      rname: 'hostmaster.local-internet.test',
      serial: 1,
      refresh: 3600,
      retry: 600,
      expire: 86_400,
      minimum: 0,
    },
  };
}
