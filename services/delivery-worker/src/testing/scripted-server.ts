import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';

/** The server's end of one connection, for scripts with exact replies and times. */
export class Peer {
  /** every line that the client sent, data included */
  readonly transcript: string[] = [];
  private readonly closed: Promise<void>;
  private buffered = '';
  private ended = false;
  private wake: (() => void) | undefined;

  constructor(readonly socket: Socket) {
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => {
      this.buffered += chunk.toString('latin1');
      this.wake?.();
    });
    socket.on('error', () => undefined);
    this.closed = new Promise((resolve) => {
      socket.on('close', () => {
        this.ended = true;
        this.wake?.();
        resolve();
      });
    });
  }

  say(...lines: string[]): void {
    this.raw(lines.map((line) => `${line}\r\n`).join(''));
  }

  raw(text: string): void {
    if (!this.ended) this.socket.write(Buffer.from(text, 'latin1'));
  }

  /** @returns undefined when the client hung up */
  async line(): Promise<string | undefined> {
    for (;;) {
      const end = this.buffered.indexOf('\r\n');
      if (end >= 0) {
        const line = this.buffered.slice(0, end);
        this.buffered = this.buffered.slice(end + 2);
        this.transcript.push(line);
        return line;
      }
      if (this.ended) return undefined;
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }

  /** Reads lines up to the final dot, or up to a hang-up. */
  async data(): Promise<string> {
    const lines: string[] = [];
    for (;;) {
      const line = await this.line();
      if (line === undefined || line === '.') return lines.map((text) => `${text}\r\n`).join('');
      lines.push(line.startsWith('.') ? line.slice(1) : line);
    }
  }

  /** Cuts the connection without a reply. */
  drop(): void {
    this.socket.resetAndDestroy();
  }

  /** Resolves when the client is gone; until then other readers get its lines. */
  async gone(): Promise<void> {
    await this.closed;
    while ((await this.line()) !== undefined);
  }
}

export type Script = (peer: Peer, connection: number) => Promise<void> | void;

/** A server on loopback that plays a script for every connection. */
export class ScriptedServer {
  readonly peers: Peer[] = [];
  private constructor(
    private readonly server: Server,
    readonly port: number,
  ) {}

  /**
   * @param at an address of loopback, and the port where it must be a certain one; `staysOpen` when it does not hang up
   * because the client does
   */
  static async start(
    script: Script,
    at: { address?: string; port?: number; staysOpen?: boolean } = {},
  ): Promise<ScriptedServer> {
    const server = createServer({ allowHalfOpen: at.staysOpen ?? false });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(at.port ?? 0, at.address ?? '127.0.0.1', resolve);
    });
    const scripted = new ScriptedServer(server, (server.address() as AddressInfo).port);
    server.on('connection', (socket) => {
      const peer = new Peer(socket);
      scripted.peers.push(peer);
      void script(peer, scripted.peers.length);
    });
    return scripted;
  }

  async stop(): Promise<void> {
    for (const peer of this.peers) peer.socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

export interface Manners {
  /** what EHLO offers; undefined = EHLO is not known */
  readonly offers?: readonly string[] | undefined;
  readonly banner?: string;
  /** the answer to a command; `undefined` = the usual one; `drop` = cut the connection */
  readonly reply?: (command: string, peer: Peer) => string | undefined | Promise<string | undefined>;
  /** the answer to a message */
  readonly accept?: (message: string, peer: Peer) => string | undefined | Promise<string | undefined>;
}

const USUAL: Readonly<Record<string, string>> = {
  EHLO: '500 5.5.1 what',
  HELO: '250 hello',
  MAIL: '250 2.1.0 ok',
  RCPT: '250 2.1.5 ok',
  DATA: '354 go on',
  RSET: '250 2.0.0 forgotten',
  QUIT: '221 2.0.0 bye',
};

/** A script with the replies of a correct server, except for the given ones. */
export function polite(manners: Manners = {}): Script {
  return async (peer) => {
    const offers = 'offers' in manners ? manners.offers : ['PIPELINING', '8BITMIME', 'SIZE 1000000'];
    peer.say(manners.banner ?? '220 mx.test ESMTP');
    for (let line = await peer.line(); line !== undefined; line = await peer.line()) {
      const verb = line.slice(0, 4).toUpperCase();
      const special = await manners.reply?.(line, peer);
      if (special === 'drop') return peer.drop();
      if (special !== undefined) peer.say(special);
      else if (verb === 'EHLO' && offers !== undefined) sayOffers(peer, offers);
      else peer.say(USUAL[verb] ?? '502 5.5.2 no such command');
      if (verb === 'QUIT') return void peer.socket.end();
      if (verb !== 'DATA' || (special !== undefined && !special.startsWith('354'))) continue;
      const message = await peer.data();
      const reply = (await manners.accept?.(message, peer)) ?? '250 2.0.0 queued as 7F1';
      if (reply === 'drop') return peer.drop();
      peer.say(reply);
    }
    return undefined;
  };
}

function sayOffers(peer: Peer, offers: readonly string[]): void {
  const lines = ['mx.test', ...offers];
  peer.say(...lines.map((line, index) => `250${index < lines.length - 1 ? '-' : ' '}${line}`));
}
