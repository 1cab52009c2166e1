import { createConnection, type NetConnectOpts } from 'node:net';
import { join } from 'node:path';
import { setTimeout as nap } from 'node:timers/promises';

/** A server is asked when a statement has had no answer for this long, and then every so often. */
const ASK_AFTER_MS = 2_000;
const ASK_AGAIN_MS = 5_000;
// Longer than a busy machine takes for a new session, and than the first two repeats of a lost SYN.
const ANSWER_MS = 5_000;
const LOOK_MS = 500;
/** SSLRequest of the protocol: any server, and any pooler, answers it with one byte before it knows who asks. */
const QUESTION = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

export interface ServerAddress {
  /** a name, an address, or the folder of a Unix socket */
  readonly host: string;
  readonly port: number;
}

/**
 * Whether a server is there at all, which a statement that takes long does not tell: a machine or a network that vanished
 * without a FIN looks the same. One question at a time, however many connections wait.
 */
class SilentServer {
  /** the last question had no answer, and it is asked again until one has */
  isSilent = false;
  private asking: Promise<boolean> | undefined;
  private answeredAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly address: ServerAddress) {}

  /** @returns whether it answers now, or did a moment ago */
  async answers(): Promise<boolean> {
    if (performance.now() - this.answeredAt < LOOK_MS) return true;
    this.asking ??= this.ask().finally(() => (this.asking = undefined));
    return this.asking;
  }

  private async ask(): Promise<boolean> {
    const isThere = await answersOnce(this.address);
    if (isThere) this.answeredAt = performance.now();
    else if (!this.isSilent) void this.watch();
    return isThere;
  }

  private async watch(): Promise<void> {
    this.isSilent = true;
    // a process that ends does not wait for it
    do await nap(LOOK_MS, undefined, { ref: false });
    while (!(await answersOnce(this.address)));
    this.isSilent = false;
  }
}

const servers = new Map<string, SilentServer>();
/** A process has a handful of databases; tests have many. */
const MOST_SERVERS = 1_000;

/** The one of this address, for all connections of the process. */
export function serverAt(address: ServerAddress): Pick<SilentServer, 'isSilent' | 'answers'> {
  const name = `${address.host} ${address.port}`;
  const known = servers.get(name);
  if (known !== undefined) return known;
  if (servers.size >= MOST_SERVERS) servers.clear();
  const made = new SilentServer(address);
  servers.set(name, made);
  return made;
}

/** A refused connection, or one that ends, is an answer: the connections to it end by themselves. */
function answersOnce({ host, port }: ServerAddress): Promise<boolean> {
  const to: NetConnectOpts = host.startsWith('/') ? { path: join(host, `.s.PGSQL.${port}`) } : { host, port };
  return new Promise((resolve) => {
    const socket = createConnection(to);
    const end = (isThere: boolean): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(isThere);
    };
    // In two parts: where this process itself was blocked for seconds, the answer is read before the second one ends.
    let timer = setTimeout(() => {
      timer = setTimeout(() => end(false), ANSWER_MS / 2).unref();
    }, ANSWER_MS / 2).unref();
    socket.unref();
    socket.once('connect', () => socket.write(QUESTION));
    for (const event of ['data', 'error', 'close']) socket.on(event, () => end(true));
  });
}

/**
 * Calls `lost` once when no answer came within `limitMs`, or when the server was asked meanwhile and does not answer at all.
 * @param limitMs undefined: its caller has a limit
 * @param lost with the time that was waited, ms
 * @returns to be called with the answer
 */
export function watchAnswer(
  address: ServerAddress,
  limitMs: number | undefined,
  lost: (waitedMs: number) => void,
): () => void {
  let isOver = false;
  const end = (): void => {
    isOver = true;
    clearTimeout(limit);
    clearTimeout(question);
  };
  const giveUp = (waitedMs: number): void => {
    if (isOver) return;
    end();
    lost(waitedMs);
  };
  const begun = performance.now();
  const look = async (): Promise<void> => {
    const isThere = await serverAt(address).answers();
    if (!isThere) giveUp(Math.round(performance.now() - begun));
    else if (!isOver) question = setTimeout(look, ASK_AGAIN_MS);
  };
  let question = setTimeout(look, ASK_AFTER_MS);
  const limit = limitMs === undefined ? undefined : setTimeout(() => giveUp(limitMs), limitMs);
  return end;
}
