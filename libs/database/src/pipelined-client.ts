import { Socket } from 'node:net';
import pg from 'pg';

const START = 'START TRANSACTION';
const STARTED = { command: 'START', rowCount: null, oid: 0, fields: [], rows: [] };

declare module 'pg' {
  interface ClientBase {
    /** `I` = no transaction; the types of the driver leave it out */
    getTransactionStatus(): string | null;
  }
}

/** `failureKind` reads the code as transient. */
class NotStarted extends Error {
  readonly code = 'ECONNABORTED';
}

/** The writes of one turn of the event loop are one system call. */
class JoiningSocket extends Socket {
  private isJoining = false;
  private readonly send = (): void => {
    this.isJoining = false;
    this.uncork();
  };

  // the overloads of streams cannot be repeated one by one
  override write(...given: unknown[]): boolean {
    if (!this.isJoining) {
      this.isJoining = true;
      this.cork();
      process.nextTick(this.send);
    }
    return (super.write as (...all: unknown[]) => boolean)(...given);
  }
}

/**
 * A client class for pools with the driver's `pipeline: true` (ADR 115): the start of a transaction travels with the
 * statements that follow it, and what is sent in one turn of the event loop is one write. A START that fails ends the
 * connection, so that no later statement of its transaction commits alone.
 */
export class PipelinedClient extends pg.Client {
  private isStarting = false;

  constructor(config?: string | pg.ClientConfig) {
    const given = typeof config === 'string' ? { connectionString: config } : config;
    super({ ...given, stream: () => new JoiningSocket() });
  }

  override getTransactionStatus(): string | null {
    return this.isStarting ? 'T' : super.getTransactionStatus();
  }

  // the driver's overloads cannot be repeated one by one
  override query(...given: unknown[]): never {
    const run = super.query.bind(this) as (...all: unknown[]) => Promise<unknown>;
    if (given[0] !== START || typeof given.at(-1) === 'function') return run(...given) as never;
    this.isStarting = true;
    run(START).then(
      () => (this.isStarting = false),
      (cause: unknown) =>
        this.connection.stream.destroy(new NotStarted('a transaction did not start', { cause })),
    );
    return Promise.resolve({ ...STARTED }) as never;
  }
}
