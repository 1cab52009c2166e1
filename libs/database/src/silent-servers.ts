import { createConnection, type NetConnectOpts, type Socket } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import type { DataSource } from 'typeorm';
import { sessionsLost, type Session } from './lost-sessions.js';

/**
 * Silence is counted in turns of a timer, not by the clock: a process that was blocked reads what came meanwhile between two
 * turns.
 */
const TURN_MS = 100;
const turns = (ms: number): number => Math.ceil(ms / TURN_MS);

/** A server is asked when a statement waits, and no connection to it had any answer for so long. */
const ASK_AFTER = turns(300);
/** The same when it has answered a question since, and nothing was sent after that: a statement takes long. */
const ASK_AGAIN = turns(1_000);
/** From then on requests do not wait for it. With the time before it: within a second. */
const QUIET_AFTER = turns(400);
/** Longer than a busy machine takes for a new session, and than the first two repeats of a lost SYN: its connections end. */
const SILENT_AFTER = turns(5_000);
/** While it is quiet. */
const ASK_EVERY = turns(500);
/** A connection alone without an answer for so long: whether its session is at work is looked up, every so often. */
const LOOK_AFTER = turns(3_000);
const LOOK_EVERY = turns(2_000);

/** SSLRequest of the protocol: any server, and any pooler, answers it with one byte before it knows who asks. */
const QUESTION = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);
/** Errors of a connection that tell nothing of the server. Any other one, as of a refused connection, is an answer. */
const NO_ANSWER = new Set(['EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH', 'ENETDOWN', 'ETIMEDOUT', 'EAI_AGAIN']);

export interface ServerAddress {
  /** a name, an address, or the folder of a Unix socket */
  readonly host: string;
  readonly port: number;
}

/** The statements that a connection waits for. */
export class Waiting {
  /** statements without an answer */
  pending = 0;
  /** since its last answer, or since it began to wait */
  turns = 0;
  /** looks at the sessions of the server that did not find its own */
  missed = 0;
  private readonly limit: number;

  /**
   * @param limitMs of a statement
   * @param lost ends the connection; with the time that was waited, ms
   */
  constructor(
    readonly session: Session,
    limitMs: number,
    private readonly lost: (waitedMs: number) => void,
  ) {
    this.limit = turns(limitMs);
  }

  get isOver(): boolean {
    return this.turns >= this.limit;
  }

  giveUp(): void {
    this.pending = 0;
    this.lost(this.turns * TURN_MS);
  }
}

/**
 * Whether a server is there at all, which a statement that takes long does not tell: a machine or a network that vanished
 * without a FIN looks the same. One timer for all connections to it, while any of them waits.
 */
class Server {
  /** it answers nothing, on no connection: requests get their 503 now. It may be back in a moment. */
  isQuiet = false;
  /** for longer: its connections have ended, and no other one is tried until it answers a question */
  isSilent = false;
  private readonly waiting = new Set<Waiting>();
  private readonly onQuiet = new Set<() => void>();
  /** with their age in turns */
  private readonly questions = new Map<Socket, number>();
  /** turns since the first question without an answer, since the last question, since its last answer, since the last look */
  private asked = 0;
  private sinceQuestion = 0;
  private silentTurns = 0;
  private sinceLook = 0;
  private isFresh = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly address: ServerAddress) {}

  /** @param refuse called each time that the server becomes quiet @returns ends that */
  whenQuiet(refuse: () => void): () => void {
    this.onQuiet.add(refuse);
    return () => void this.onQuiet.delete(refuse);
  }

  begin(one: Waiting): void {
    one.pending += 1;
    if (one.pending === 1) {
      one.turns = one.missed = 0;
      this.waiting.add(one);
    }
    this.isFresh = true;
    this.keepTurning();
  }

  /** @param isOfServer the answer is one of the server, not an error of the connection */
  end(one: Waiting, isOfServer: boolean): void {
    one.turns = one.missed = 0;
    one.pending -= 1;
    if (one.pending <= 0) this.leave(one);
    if (!isOfServer) return;
    this.hasAnswered();
    this.isFresh = true;
  }

  private leave(one: Waiting): void {
    one.pending = 0;
    this.waiting.delete(one);
  }

  private keepTurning(): void {
    // a process that ends does not wait for it
    this.timer ??= setTimeout(() => this.turn(), TURN_MS).unref();
  }

  private hasAnswered(): void {
    this.silentTurns = this.asked = 0;
    this.isQuiet = this.isSilent = false;
    if (this.questions.size === 0) return;
    for (const socket of this.questions.keys()) socket.destroy();
    this.questions.clear();
  }

  private turn(): void {
    this.timer = undefined;
    if (this.waiting.size === 0 && !this.isQuiet) return this.hasAnswered();
    this.silentTurns += 1;
    for (const one of this.waiting) {
      one.turns += 1;
      if (one.isOver || (this.isSilent && one.turns >= QUIET_AFTER)) this.giveUp(one);
    }
    this.question();
    this.look();
    this.keepTurning();
  }

  private giveUp(one: Waiting): void {
    this.leave(one);
    one.giveUp();
  }

  private question(): void {
    this.sinceQuestion += 1;
    for (const [socket, age] of this.questions) {
      this.questions.set(socket, age + 1);
      if (age >= SILENT_AFTER) this.forget(socket);
    }
    if (this.asked > 0) this.asked += 1;
    if (this.isDue()) this.ask();
    if (this.asked > QUIET_AFTER && !this.isQuiet) {
      this.isQuiet = true;
      for (const refuse of this.onQuiet) refuse();
    }
    if (this.asked > SILENT_AFTER && !this.isSilent) {
      this.isSilent = true;
      for (const one of this.waiting) this.giveUp(one);
    }
  }

  private isDue(): boolean {
    if (this.asked > 0) return this.isQuiet && this.sinceQuestion >= ASK_EVERY;
    return this.silentTurns >= (this.isFresh ? ASK_AFTER : ASK_AGAIN);
  }

  private ask(): void {
    const { host, port } = this.address;
    const to: NetConnectOpts = host.startsWith('/')
      ? { path: join(host, `.s.PGSQL.${port}`) }
      : { host, port };
    const socket = createConnection(to);
    this.questions.set(socket, 0);
    this.sinceQuestion = 0;
    this.asked ||= 1;
    const answered = (): void => {
      if (!this.questions.has(socket)) return;
      this.hasAnswered();
      this.isFresh = false;
    };
    socket.unref();
    socket.once('connect', () => socket.write(QUESTION));
    socket.on('data', answered);
    // a refused connection, or one that ends, is an answer: the connections to it end by themselves
    socket.on('end', answered);
    socket.on('error', ({ code = '' }: NodeJS.ErrnoException) =>
      NO_ANSWER.has(code) ? this.forget(socket) : answered(),
    );
  }

  private forget(socket: Socket): void {
    this.questions.delete(socket);
    socket.destroy();
  }

  /** The server is there: a connection that alone has no answer may be lost. */
  private look(): void {
    this.sinceLook += 1;
    if (this.asked > 0 || this.sinceLook < LOOK_EVERY) return;
    const long = [...this.waiting].filter(({ turns: waited }) => waited >= LOOK_AFTER);
    if (long.length === 0) return;
    // none before the end of this one
    this.sinceLook = Number.NEGATIVE_INFINITY;
    void this.endLost(long).finally(() => (this.sinceLook = 0));
  }

  private async endLost(long: readonly Waiting[]): Promise<void> {
    const lost = await sessionsLost(long.map(({ session }) => session)).catch(() => undefined);
    // what came meanwhile is read first
    await new Promise((resolve) => setImmediate(resolve));
    for (const one of long) {
      const found = lost?.get(one.session);
      if (found === undefined || one.pending === 0 || one.turns < LOOK_AFTER) continue;
      if (found === 'missing') one.missed += 1;
      if (found === 'idle' || one.missed > 1) this.giveUp(one);
    }
  }
}

export type DatabaseServer = Pick<Server, 'isQuiet' | 'isSilent' | 'whenQuiet'>;

const servers = new Map<string, Server>();
/** A process has a handful of databases; tests have many. */
const MOST_SERVERS = 1_000;

/** The one of this address, for all connections of the process. */
export function serverAt({ host, port }: ServerAddress): Server {
  const name = `${host} ${port}`;
  const known = servers.get(name);
  if (known !== undefined) return known;
  if (servers.size >= MOST_SERVERS) servers.clear();
  const made = new Server({ host, port });
  servers.set(name, made);
  return made;
}

/** @returns undefined for a source without an address */
export function serverOf({ options }: Pick<DataSource, 'options'>): DatabaseServer | undefined {
  const { url } = options as { url?: string };
  return url === undefined ? undefined : serverAt(new pg.Client({ connectionString: url }));
}

/** A request that is given up while its database does not answer. `failureKind` reads the code as transient. */
export class ServerSilent extends Error {
  override readonly name = 'ServerSilent';
  readonly code = 'ETIMEDOUT';

  constructor(message = 'the database does not answer') {
    super(message);
  }
}
