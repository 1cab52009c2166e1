import dgram from 'node:dgram';
import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import packet, { type Answer, type Packet, type Question } from 'dns-packet';

/** Fault of the server for queries of a name; without one it answers from its records. */
type Mishap = 'servfail' | 'refused' | 'silent' | 'truncated';

/** A small authoritative DNS server on a free loopback port, UDP and TCP, that can misbehave per name. */
export interface TestDnsServer {
  /** `127.0.0.1:<port>` */
  readonly address: string;
  /** `TXT name` in order of arrival, with `/tcp` after those over TCP */
  readonly questions: string[];
  /** replaces the records of a type at a name; none = no such record */
  set(type: 'TXT' | 'CNAME' | 'MX' | 'A' | 'AAAA' | 'PTR', name: string, ...values: string[]): void;
  /** @param name `*` = every name */
  misbehave(name: string, mishap: Mishap | undefined): void;
  clear(): void;
  close(): Promise<void>;
}

/** @param options.chases whether it walks CNAME chains like a recursive resolver; default true */
export async function startTestDnsServer(options: { chases?: boolean } = {}): Promise<TestDnsServer> {
  const zone = new Zone(options.chases ?? true);
  const { udp, tcp, port } = await listen(zone);
  return {
    address: `127.0.0.1:${port}`,
    questions: zone.questions,
    set: (type, name, ...values) => zone.set(type, name, values),
    misbehave: (name, mishap) => zone.misbehave(name, mishap),
    clear: () => zone.clear(),
    close: async () => {
      udp.close();
      tcp.close();
      await once(tcp, 'close');
    },
  };
}

// A free UDP port may be in use on TCP; this many failures in a row have another cause.
const PORT_TRIES = 20;

async function listen(zone: Zone): Promise<{ udp: dgram.Socket; tcp: net.Server; port: number }> {
  for (let attempt = 1; ; attempt += 1) {
    const { udp, port } = await listenUdp(zone);
    const tcp = net.createServer((socket) => serveTcp(zone, socket));
    tcp.listen(port, '127.0.0.1');
    try {
      await once(tcp, 'listening');
      return { udp, tcp, port };
    } catch (error) {
      udp.close();
      if (attempt >= PORT_TRIES) throw error;
    }
  }
}

async function listenUdp(zone: Zone): Promise<{ udp: dgram.Socket; port: number }> {
  const udp = dgram.createSocket('udp4');
  udp.on('message', (message, from) => {
    const reply = zone.reply(message, false);
    if (reply) udp.send(packet.encode(reply), from.port, from.address);
  });
  udp.bind(0, '127.0.0.1');
  await once(udp, 'listening');
  return { udp, port: (udp.address() as AddressInfo).port };
}

function serveTcp(zone: Zone, socket: net.Socket): void {
  let waiting = Buffer.alloc(0);
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk: Buffer) => {
    waiting = Buffer.concat([waiting, chunk]);
    while (waiting.length >= 2 && waiting.length >= 2 + waiting.readUInt16BE(0)) {
      const end = 2 + waiting.readUInt16BE(0);
      const reply = zone.reply(waiting.subarray(2, end), true);
      waiting = waiting.subarray(end);
      if (reply) socket.write(packet.streamEncode(reply));
    }
  });
}

const RCODE = { servfail: 2, refused: 5 } as const;
const NXDOMAIN = 3;

class Zone {
  readonly questions: string[] = [];
  private readonly records = new Map<string, string[]>();
  private readonly mishaps = new Map<string, Mishap>();

  constructor(private readonly chases: boolean) {}

  set(type: string, name: string, values: string[]): void {
    if (values.length > 0) this.records.set(`${type} ${name}`, values);
    else this.records.delete(`${type} ${name}`);
  }

  misbehave(name: string, mishap: Mishap | undefined): void {
    if (mishap) this.mishaps.set(name, mishap);
    else this.mishaps.delete(name);
  }

  clear(): void {
    this.records.clear();
    this.mishaps.clear();
    this.questions.length = 0;
  }

  reply(message: Buffer, overTcp: boolean): Packet | undefined {
    const query = packet.decode(message);
    const question = query.questions?.[0];
    if (!question) return undefined;
    const name = question.name.toLowerCase();
    this.questions.push(`${question.type} ${name}${overTcp ? '/tcp' : ''}`);
    const mishap = this.mishaps.get(name) ?? this.mishaps.get('*');
    if (mishap === 'silent') return undefined;
    const base: Packet = { id: query.id ?? 0, type: 'response', questions: [question] };
    if (mishap === 'servfail' || mishap === 'refused')
      return { ...base, flags: packet.RECURSION_AVAILABLE | RCODE[mishap] };
    if (mishap === 'truncated' && !overTcp) return { ...base, flags: packet.TRUNCATED_RESPONSE };
    return { ...base, ...this.answers(question, name) };
  }

  private answers(question: Question, name: string): Pick<Packet, 'flags' | 'answers'> {
    const answers: Answer[] = [];
    let at = name;
    for (let step = 0; step < 10; step += 1) {
      const own = this.records.get(`${question.type} ${at}`);
      if (own)
        return {
          flags: packet.RECURSION_AVAILABLE,
          answers: [...answers, ...own.map((value) => toAnswer(question.type, at, value))],
        };
      const alias = this.records.get(`CNAME ${at}`)?.[0];
      if (alias === undefined) break;
      answers.push({ type: 'CNAME', name: at, ttl: 300, data: alias });
      if (!this.chases) return { flags: packet.RECURSION_AVAILABLE, answers };
      at = alias;
    }
    const exists = [...this.records.keys()].some((key) => key.endsWith(` ${at}`));
    return { flags: packet.RECURSION_AVAILABLE | (exists ? 0 : NXDOMAIN), answers };
  }
}

function toAnswer(type: Question['type'], name: string, value: string): Answer {
  const about = { name, ttl: 300 };
  if (type === 'MX') {
    const [preference, exchange = ''] = value.split(' ');
    return { ...about, type: 'MX', data: { preference: Number(preference), exchange } };
  }
  if (type === 'CNAME' || type === 'A' || type === 'AAAA' || type === 'PTR')
    return { ...about, type, data: value };
  return { ...about, type: 'TXT', data: value.match(/[\s\S]{1,255}/g) ?? [''] };
}
