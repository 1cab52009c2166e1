import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import net from 'node:net';
import dnsPacket, { type Answer } from 'dns-packet';
import { withTimeout } from '@postmesh/concurrency';
import { Transient } from '@postmesh/contracts';
import type { HostAndPort, TsigKey } from '@postmesh/settings';
import type { AliasChange, ManagedZone } from './managed-zone.port.js';
import { signMessage, verifyResponse } from './tsig.js';

export interface DynamicUpdateOptions {
  server: HostAndPort;
  /** the zone as the server knows it, without a trailing dot */
  zone: string;
  key: TsigKey;
  /** for connecting, writing and reading; default 8 s */
  timeoutMs?: number;
}

// A check of a domain may wait for it in addition to its look-ups, within the 30 s of the gateway.
const TIMEOUT_MS = 8_000;
// Keys change every few weeks and a switch waits a day: an hour in caches is harmless.
const TTL_S = 3_600;
const OPCODE_UPDATE = 5 << 11;
const RCODE_MASK = 0xf;
const MAX_RETRY_MS = 60_000;

/** The codes of RFC 2136 §2.2 in words for the operator of the server. */
const RCODES: Readonly<Record<number, string>> = {
  1: 'FORMERR',
  2: 'SERVFAIL',
  3: 'NXDOMAIN',
  4: 'NOTIMP: the server takes no updates',
  5: 'REFUSED: the key may not update these names',
  9: 'NOTAUTH: the server is not the primary of the zone, or does not accept the key',
  10: 'NOTZONE: a name is outside of the zone',
};

/**
 * A zone on a name server with dynamic updates (RFC 2136), signed with TSIG (RFC 8945). Always over TCP: two keys
 * exceed a UDP message.
 */
export class DynamicUpdateZone implements ManagedZone {
  readonly isWritten = true;

  constructor(private readonly options: DynamicUpdateOptions) {}

  async apply(changes: readonly AliasChange[]): Promise<void> {
    if (changes.length === 0) return;
    const { server, key } = this.options;
    const { message, mac } = signMessage(updateMessage(this.options.zone, changes), key, new Date());
    let rcode: number;
    try {
      const response = await exchange(server, message, this.options.timeoutMs ?? TIMEOUT_MS);
      rcode = response.readUInt16BE(2) & RCODE_MASK;
      if (response.readUInt16BE(0) !== message.readUInt16BE(0))
        throw new Error('it belongs to another request');
      // a server without this key sends its error unsigned: the code explains more than the missing signature
      if (rcode === 0) verifyResponse(response, key, mac, new Date());
      else verifyOrExplain(response, { key, mac, rcode });
    } catch (error) {
      throw this.failure(error instanceof Error ? error.message : String(error), error);
    }
    if (rcode !== 0) throw this.failure(describe(rcode));
  }

  private failure(reason: string, cause?: unknown): Transient {
    const { host, port } = this.options.server;
    return new Transient(`zone update on ${host}:${port} failed: ${reason}`, MAX_RETRY_MS, { cause });
  }
}

const describe = (rcode: number): string => RCODES[rcode] ?? `RCODE ${rcode}`;

function verifyOrExplain(response: Buffer, about: { key: TsigKey; mac: Buffer; rcode: number }): void {
  try {
    verifyResponse(response, about.key, about.mac, new Date());
  } catch (error) {
    throw new Error(`${describe(about.rcode)}; ${(error as Error).message}`, { cause: error });
  }
}

/** RFC 2136 §2: deletes all records of a name, then adds the new one. */
function updateMessage(zone: string, changes: readonly AliasChange[]): Buffer {
  return dnsPacket.encode({
    type: 'query',
    id: randomInt(0x10000),
    flags: OPCODE_UPDATE,
    questions: [{ name: zone, type: 'SOA', class: 'IN' }],
    authorities: changes.flatMap(updatesOf),
  });
}

function updatesOf({ name, text }: AliasChange): Answer[] {
  const clear = { name, type: 'ANY', class: 'ANY', ttl: 0, data: Buffer.alloc(0) } as unknown as Answer;
  if (text === null) return [clear];
  return [clear, { name, type: 'TXT', class: 'IN', ttl: TTL_S, data: textStrings(text) }];
}

const MAX_STRING_BYTES = 255;

/** A text record is a row of strings of up to 255 bytes, which readers join (RFC 6376 §3.6.2.2). */
function textStrings(text: string): Buffer[] {
  const bytes = Buffer.from(text);
  const count = Math.max(1, Math.ceil(bytes.length / MAX_STRING_BYTES));
  return Array.from({ length: count }, (_, nth) =>
    bytes.subarray(nth * MAX_STRING_BYTES, (nth + 1) * MAX_STRING_BYTES),
  );
}

/** Sends one message and reads one, each after its length (RFC 1035 §4.2.2). */
async function exchange(server: HostAndPort, message: Buffer, timeoutMs: number): Promise<Buffer> {
  const socket = net.connect(server);
  try {
    return await withTimeout(speak(socket, message), timeoutMs, 'the exchange');
  } finally {
    socket.destroy();
  }
}

async function speak(socket: net.Socket, message: Buffer): Promise<Buffer> {
  await once(socket, 'connect');
  const length = Buffer.alloc(2);
  length.writeUInt16BE(message.length);
  socket.write(Buffer.concat([length, message]));
  let received = Buffer.alloc(0);
  for await (const chunk of socket) {
    received = Buffer.concat([received, chunk as Buffer]);
    const wanted = received.length < 2 ? Infinity : 2 + received.readUInt16BE(0);
    if (received.length >= wanted) return received.subarray(2, wanted);
  }
  throw new Error('the server closed the connection without a response');
}
