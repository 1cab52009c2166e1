import pg from 'pg';
import type { Session } from './lost-sessions.js';
import { serverAt, ServerSilent, Waiting } from './silent-servers.js';

/**
 * Keepalives of TCP for every connection: a machine that vanished is noticed within 15 seconds by who waits for it (5 s of
 * silence, then ten probes, one a second), not after the two hours that systems wait by default.
 */
export const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 5_000 } as const;

/**
 * The same of the server, for what a session holds: locks, a transaction. Part of `options`. Keepalives are sent only while
 * the server awaits nothing: a client that vanished during an answer is given up by the timeout, else after a quarter of an hour.
 */
export const SERVER_KEEPALIVE = [
  '-c tcp_keepalives_idle=5 -c tcp_keepalives_interval=2 -c tcp_keepalives_count=3',
  '-c tcp_user_timeout=15000',
].join(' ');

type Callback = (error: unknown, result?: unknown) => void;

/**
 * A client class for pools and sessions. The loss of its connection never ends the process. A statement without an
 * answer within the timeout ends its connection, so that neither its
 * caller nor the pool waits for a server that vanished silently. The driver's own `query_timeout` rejects only the
 * call: the next caller gets the same dead connection. A server that does not answer at all, or does not have the statement,
 * ends them within seconds (`silent-servers.ts`); of one that does not answer no new connection is tried until it does.
 *
 * The timeout must be longer than the server's `statement_timeout`, which ends slow statements. A transaction that
 * sets another one (`set local`) has no limit here, as only its own code knows how long it may take.
 */
export function timedClient(timeoutMs: number, base: typeof pg.Client = pg.Client): typeof pg.Client {
  return class TimedClient extends base {
    private hasOwnTimeout = false;
    private readonly server = serverAt(this);
    private readonly waiting = new Waiting(this as unknown as Session, timeoutMs, (waitedMs) =>
      this.cut(waitedMs),
    );

    constructor(config?: string | pg.ClientConfig) {
      super(config);
      // A pool hands a client out without a listener of its own. When its server ends in that moment, the error would end
      // the process; so it fails the next statement instead.
      this.on('error', () => undefined);
    }

    // the driver's overloads cannot be repeated one by one
    override query(...given: unknown[]): never {
      if (this.getTransactionStatus() === 'I') this.hasOwnTimeout = false;
      const [first] = given;
      if (typeof first === 'string' && first.includes('statement_timeout')) this.hasOwnTimeout = true;
      const run = super.query.bind(this) as (...all: unknown[]) => unknown;
      if (this.hasOwnTimeout) return run(...given) as never;
      return this.watched(run, given);
    }

    // the driver's overloads cannot be repeated one by one
    override connect(...given: unknown[]): never {
      const connect = super.connect.bind(this) as (...all: unknown[]) => unknown;
      if (!this.server.isSilent) return this.watched(connect, given);
      const error = new ServerSilent();
      const [callback] = given;
      if (typeof callback !== 'function') return Promise.reject(error) as never;
      process.nextTick(() => (callback as Callback)(error));
      return undefined as never;
    }

    private watched(run: (...all: unknown[]) => unknown, given: unknown[]): never {
      const { server, waiting } = this;
      const ended = (error?: unknown): void =>
        server.end(waiting, !error || error instanceof pg.DatabaseError);
      server.begin(waiting);
      const callback = given.at(-1);
      if (typeof callback === 'function') {
        given[given.length - 1] = ((error, result) => {
          ended(error);
          (callback as Callback)(error, result);
        }) satisfies Callback;
      }
      const result = run(...given);
      if (result instanceof Promise) result.then(() => ended(), ended);
      else if (typeof callback !== 'function') server.end(waiting, false);
      return result as never;
    }

    /** Every waiting caller gets the error, and a pool opens another connection. */
    private cut(waitedMs: number): void {
      this.connection.stream.destroy(
        new ServerSilent(`the database did not answer in time (${waitedMs} ms)`),
      );
    }
  } as typeof pg.Client;
}
