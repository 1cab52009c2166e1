import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';

/**
 * A network path to a server that a test cuts and restores: connections break and are refused meanwhile. Or it
 * swallows: connections stay, and no byte of one side reaches the other again, as when a machine or a network
 * vanishes without a FIN. Or it holds: what was sent meanwhile arrives afterwards, as TCP repeats it.
 */
export class CuttableProxy {
  private readonly sockets = new Set<Socket>();
  private server: Server | undefined;
  private port = 0;
  private swallows = false;
  private holds = false;
  /** both sides of each connection to the server */
  private readonly ways = new Map<Socket, Socket>();
  /** to the server */
  private readonly answering = new Set<Socket>();
  /** sockets of ways that swallow */
  private readonly lost = new Set<Socket>();
  /** connections that came in, over its whole life */
  accepted = 0;

  private constructor(private readonly target: URL) {}

  /** @param url of the server behind it */
  static async start(url: string): Promise<CuttableProxy> {
    const proxy = new CuttableProxy(new URL(url));
    await proxy.mend();
    return proxy;
  }

  /** The same URL through the proxy. */
  get url(): string {
    const through = new URL(this.target);
    through.host = `127.0.0.1:${this.port}`;
    // the folder of a Unix socket would lead around the proxy
    through.searchParams.delete('host');
    return through.href;
  }

  async cut(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    const closed = new Promise((resolve) => server?.close(resolve));
    for (const socket of this.sockets) socket.destroy();
    if (server) await closed;
  }

  /** From now on nothing passes, of the connections that there are and of new ones, until `mend`. */
  swallow(): void {
    this.swallows = true;
    for (const socket of this.sockets) {
      this.lost.add(socket);
      socket.unpipe().on('data', () => undefined);
    }
  }

  /** The answers of the server are not taken any more, not even by the system, on the connections that there are. */
  stall(): void {
    for (const socket of this.answering) socket.unpipe().pause();
  }

  /** From now on nothing passes, of old connections and new ones, until `release`. */
  hold(): void {
    this.holds = true;
    for (const [inside, outside] of this.ways) {
      inside.unpipe().pause();
      outside.unpipe().pause();
    }
  }

  /** The bytes that were held arrive. */
  release(): void {
    this.holds = false;
    for (const [inside, outside] of this.ways) inside.pipe(outside).pipe(inside);
  }

  /** New connections pass. Those that were swallowed stay lost. */
  async mend(): Promise<void> {
    this.swallows = false;
    if (this.server) return;
    const server = createServer((inside) => this.join(inside));
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.port, '127.0.0.1', resolve);
    });
    this.server = server;
    this.port = (server.address() as AddressInfo).port;
  }

  private join(inside: Socket): void {
    this.accepted += 1;
    if (this.swallows) {
      this.sockets.add(inside);
      inside
        .on('error', () => undefined)
        .on('close', () => this.sockets.delete(inside))
        .resume();
      return;
    }
    const outside = connect(Number(this.target.port || 5432), this.target.hostname);
    this.answering.add(outside);
    for (const socket of [inside, outside]) {
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.sockets.delete(socket);
        this.answering.delete(socket);
        // of a way that swallows the other side learns nothing, neither now nor later
        if (this.lost.has(socket)) return;
        inside.destroy();
        outside.destroy();
      });
    }
    this.ways.set(inside, outside);
    inside.once('close', () => this.ways.delete(inside));
    if (!this.holds) inside.pipe(outside).pipe(inside);
  }
}
