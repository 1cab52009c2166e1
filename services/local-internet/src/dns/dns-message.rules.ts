import dnsPacket, { type Answer, type OptAnswer, type Packet, type Question } from 'dns-packet';
import type { LookUp } from './look-up.rules.js';

const HEADER_BYTES = 12;
const RESPONSE_BIT = 0x80;
/** The size that every resolver accepts without EDNS (RFC 1035 §4.2.1). */
const PLAIN_UDP_BYTES = 512;
/** The largest response over UDP, whatever size the resolver offers (RFC 6891 §6.2.5). */
const MAX_UDP_BYTES = 4096;
const MAX_TCP_BYTES = 0xffff;

const RCODE = { noError: 0, formErr: 1, servFail: 2, nxDomain: 3, notImp: 4, refused: 5 } as const;
/** An extended RCODE (RFC 6891 §6.1.3): its upper bits travel in the OPT record. */
const BADVERS = 16;

// Records may change at any moment, and a test queries right after: an answer may be cached only briefly,
// a "no such name" not at all.
const TTL_SECONDS = 1;

export interface Query {
  id: number;
  recursionDesired: boolean;
  question: Question;
  /** Present when the query has EDNS. */
  payloadBytes: number | undefined;
  /** The resolver understands AD: it set that bit itself, or DO (RFC 6840 §5.7). */
  understandsAuthentic: boolean;
}

/** `ignore`: a response would be wrong (the message is one itself, or has no header). */
export type Reading = { query: Query } | { error: Packet } | 'ignore';

/** Reads one message from the wire; never throws, whatever the bytes. */
export function readQuery(message: Buffer): Reading {
  if (message.length < HEADER_BYTES || ((message[2] ?? 0) & RESPONSE_BIT) !== 0) return 'ignore';
  const id = message.readUInt16BE(0);
  const opcode = ((message[2] ?? 0) >> 3) & 0xf;
  if (opcode !== 0) return { error: { type: 'response', id, flags: (opcode << 11) | RCODE.notImp } };
  const packet = decode(message);
  const question = packet?.questions?.length === 1 ? packet.questions[0] : undefined;
  if (packet === undefined || question === undefined || !survivesEncoding(message, question)) {
    return { error: { type: 'response', id, flags: RCODE.formErr } };
  }
  const options = packet.additionals?.find((record): record is OptAnswer => record.type === 'OPT');
  const query: Query = {
    id,
    recursionDesired: ((packet.flags ?? 0) & dnsPacket.RECURSION_DESIRED) !== 0,
    question,
    payloadBytes: options?.udpPayloadSize,
    understandsAuthentic: ((packet.flags ?? 0) & dnsPacket.AUTHENTIC_DATA) !== 0 || options?.flag_do === true,
  };
  if (options !== undefined && options.ednsVersion > 0) return { error: responseTo(query, BADVERS) };
  if (question.class !== 'IN' && question.class !== 'ANY') {
    return { error: responseTo({ ...query, payloadBytes: undefined }, RCODE.refused) };
  }
  return { query };
}

function decode(message: Buffer): Packet | undefined {
  try {
    return dnsPacket.decode(message);
  } catch {
    return undefined;
  }
}

/** A label may hold any octet, our strings may not: only a question that can be repeated exactly is answered. */
function survivesEncoding(message: Buffer, question: Question): boolean {
  try {
    const again = dnsPacket.encode({ type: 'query', questions: [{ ...question }] }).subarray(HEADER_BYTES);
    return message.subarray(HEADER_BYTES, HEADER_BYTES + again.length).equals(again);
  } catch {
    return false;
  }
}

/**
 * @param transport over UDP an answer that does not fit is cut to an empty one with TC, so that the resolver
 *   retries over TCP (RFC 2181 §9)
 */
export function responseWith(result: LookUp, query: Query, transport: 'udp' | 'tcp'): Packet {
  const response = responseTo(query, rcodeOf(result));
  const isAuthentic = result.secure && query.understandsAuthentic;
  if (isAuthentic) response.flags = (response.flags ?? 0) | dnsPacket.AUTHENTIC_DATA;
  response.answers = result.records.map(({ owner, record }) => ({
    name: owner,
    class: 'IN',
    ttl: TTL_SECONDS,
    ...record,
  }));
  if (result.outcome === 'no-data' || result.outcome === 'no-name') {
    response.authorities = [startOfAuthority(result.records.at(-1)?.record.data ?? query.question.name)];
  }
  if (dnsPacket.encodingLength(response) <= maxBytes(query, transport)) return response;
  const truncated = responseTo(query, rcodeOf(result));
  truncated.flags = (truncated.flags ?? 0) | dnsPacket.TRUNCATED_RESPONSE;
  return truncated;
}

function maxBytes(query: Query, transport: 'udp' | 'tcp'): number {
  if (transport === 'tcp') return MAX_TCP_BYTES;
  return Math.min(Math.max(query.payloadBytes ?? 0, PLAIN_UDP_BYTES), MAX_UDP_BYTES);
}

function rcodeOf({ outcome }: LookUp): number {
  if (outcome === 'found' || outcome === 'no-data') return RCODE.noError;
  if (outcome === 'refused') return RCODE.refused;
  return outcome === 'no-name' ? RCODE.nxDomain : RCODE.servFail;
}

function responseTo(query: Query, rcode: number): Packet {
  const isOurs = rcode !== RCODE.servFail && rcode !== RCODE.refused;
  return {
    type: 'response',
    id: query.id,
    flags:
      (isOurs ? dnsPacket.AUTHORITATIVE_ANSWER : 0) |
      (query.recursionDesired ? dnsPacket.RECURSION_DESIRED : 0) |
      dnsPacket.RECURSION_AVAILABLE |
      (rcode & 0xf),
    // A copy, since the encoder may add missing fields; the name keeps the case of the question.
    questions: [{ ...query.question }],
    additionals: query.payloadBytes === undefined ? [] : [optRecord(rcode >> 4)],
  };
}

function optRecord(extendedRcode: number): OptAnswer {
  return {
    type: 'OPT',
    name: '.',
    udpPayloadSize: MAX_UDP_BYTES,
    extendedRcode,
    ednsVersion: 0,
    flags: 0,
    flag_do: false,
    options: [],
  };
}

function startOfAuthority(lastName: unknown): Answer {
  const zone = typeof lastName === 'string' ? (lastName.split('.').at(-1) ?? '') : '';
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
