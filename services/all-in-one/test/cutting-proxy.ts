import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** How long after a request a connection is cut while the response is awaited, at most. */
const LONGEST_MS = 30;
const MOMENTS = ['in the request', 'before the response', 'in the response'] as const;
type Moment = (typeof MOMENTS)[number];

/** A TCP proxy that cuts a share of the exchanges (a request and its response) at random moments, on both sides. */
export class CuttingProxy {
  readonly cuts: Record<Moment, number> = {
    'in the request': 0,
    'before the response': 0,
    'in the response': 0,
  };
  exchanges = 0;
  /** Responses that say that the request had been done before. */
  replays = 0;
  private readonly sockets = new Set<Socket>();
  private readonly server: Server;

  private constructor(
    private readonly target: { host: string; port: number },
    private readonly share: number,
  ) {
    this.server = createServer((client) => this.relay(client));
  }

  static async start(url: string, share: number): Promise<CuttingProxy> {
    const { port } = new URL(url);
    const proxy = new CuttingProxy({ host: '127.0.0.1', port: Number(port) }, share);
    proxy.server.listen(0, '127.0.0.1');
    await once(proxy.server, 'listening');
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get cutCount(): number {
    return Object.values(this.cuts).reduce((sum, count) => sum + count, 0);
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private relay(client: Socket): void {
    const server = connect(this.target);
    let isBetween = true;
    let moment: Moment | undefined;
    const cut = (when: Moment) => {
      if (client.destroyed) return;
      this.cuts[when] += 1;
      client.resetAndDestroy();
      server.destroy();
    };
    client.on('data', (chunk: Buffer) => {
      if (isBetween) {
        this.exchanges += 1;
        moment = Math.random() < this.share ? MOMENTS[Math.floor(Math.random() * MOMENTS.length)] : undefined;
        if (moment === 'before the response')
          setTimeout(() => cut('before the response'), Math.random() * LONGEST_MS);
      }
      isBetween = false;
      if (moment !== 'in the request') server.write(chunk);
      else server.write(partOf(chunk), () => cut('in the request'));
    });
    server.on('data', (chunk: Buffer) => {
      if (!isBetween && chunk.toString('latin1').toLowerCase().includes('idempotent-replayed: true'))
        this.replays += 1;
      isBetween = true;
      if (moment !== 'in the response') client.write(chunk);
      else client.write(partOf(chunk), () => cut('in the response'));
    });
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.sockets.delete(socket);
        other.destroy();
      });
    }
  }
}

const partOf = (chunk: Buffer): Buffer => chunk.subarray(0, Math.floor(Math.random() * chunk.length));
