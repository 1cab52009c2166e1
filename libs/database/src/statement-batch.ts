import pg from 'pg';

/** One statement of a batch. */
export interface BatchedStatement {
  readonly text: string;
  /** as `encoded` makes them */
  readonly values: readonly unknown[];
  /** of the prepared statement that it is, or becomes; left out: parsed for this once */
  readonly name?: string | undefined;
  resolve(result: pg.QueryResult): void;
  reject(error: unknown): void;
}

/** The parts of the driver's connection that its types leave out. */
interface Connection {
  readonly stream: { cork(): void; uncork(): void; destroy(error: Error): void };
  readonly parsedStatements: Record<string, string>;
  readonly submittedNamedStatements: Record<string, string>;
  sync(): void;
  on(event: 'parseComplete', listener: () => void): void;
  off(event: 'parseComplete', listener: () => void): void;
}
interface Query {
  readonly name: string | undefined;
  readonly text: string;
  submit(connection: Connection): Error | null;
  hasBeenParsed(connection: Connection): unknown;
  handleRowDescription(message: unknown): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, connection: Connection): void;
  handleEmptyQuery(connection: Connection): void;
  handleReadyForQuery(connection: Connection): void;
  handleError(error: unknown, connection: Connection): void;
}
const DriverQuery = pg.Query as unknown as new (
  config: object,
  values: undefined,
  callback: (error: unknown, result: pg.QueryResult) => void,
) => Query;

const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): unknown } }).utils;

/** Values as they are sent. @throws for one that cannot be: in the middle of a batch that would be too late */
export const encoded = (values: readonly unknown[]): unknown[] => values.map(prepareValue);

/**
 * Several statements that go to the server in one write, with one `Sync` behind the last one (PostgreSQL's manual, "Extended
 * Query" and "Pipelining"): what comes after a statement that failed is not run, a COMMIT neither. The
 * server answers all of them at once. For `client.query`, which takes whatever has a `submit`.
 *
 * Each statement gets its own result; the ones behind a failure get its error.
 */
export class StatementBatch {
  /** set by `client.query`: called once, after all statements have been answered */
  callback: ((error: unknown) => void) | undefined;
  readonly texts: readonly string[];
  private readonly queries: readonly Query[];
  /** sent with a `Parse` that has not been answered */
  private unparsed: Query[] = [];
  private at = 0;
  private connection: Connection | undefined;

  constructor(statements: readonly BatchedStatement[]) {
    this.texts = statements.map(({ text }) => text);
    this.queries = statements.map(
      ({ resolve, reject, ...statement }) =>
        new DriverQuery({ ...statement, queryMode: 'extended' }, undefined, (error, result) =>
          error ? reject(error) : resolve(result),
        ),
    );
  }

  submit(connection: Connection): void {
    connection.on('parseComplete', this.onParsed);
    this.connection = connection;
    // the driver's own query ends with a `Sync` of its own
    const unsynced = Object.create(connection, { sync: { value: () => undefined } }) as Connection;
    connection.stream.cork();
    try {
      for (const query of this.queries) {
        if (!query.hasBeenParsed(connection)) this.unparsed.push(query);
        const failure = query.submit(unsynced);
        if (failure) throw failure;
      }
      connection.sync();
    } catch (error) {
      // half a batch was written, and nothing may come behind it
      connection.stream.destroy(error as Error);
    } finally {
      connection.stream.uncork();
    }
  }

  handleRowDescription(message: unknown): void {
    this.current?.handleRowDescription(message);
  }

  handleDataRow(message: unknown): void {
    this.current?.handleDataRow(message);
  }

  handleCommandComplete(message: unknown, connection: Connection): void {
    this.current?.handleCommandComplete(message, connection);
    this.at += 1;
  }

  handleEmptyQuery(): void {
    this.at += 1;
  }

  /** All were run. */
  handleReadyForQuery(connection: Connection): void {
    this.end();
    for (const query of this.queries) query.handleReadyForQuery(connection);
    this.callback?.(null);
  }

  /**
   * A statement failed, and the server ran none behind it; or the connection is lost. The driver expects no more of
   * it.
   */
  handleError(error: unknown, connection: Connection): void {
    this.end();
    for (const query of this.queries.slice(0, this.at)) query.handleReadyForQuery(connection);
    for (const query of this.queries.slice(this.at)) query.handleError(error, connection);
    this.callback?.(error);
  }

  private get current(): Query | undefined {
    return this.queries[this.at];
  }

  /** As the driver does it for one statement: what has been parsed under a name is not parsed again. */
  private readonly onParsed = (): void => {
    const { name, text } = this.unparsed.shift() ?? {};
    if (name === undefined || text === undefined || !this.connection) return;
    this.connection.parsedStatements[name] = text;
    delete this.connection.submittedNamedStatements[name];
  };

  private end(): void {
    this.connection?.off('parseComplete', this.onParsed);
    for (const { name } of this.unparsed)
      if (name !== undefined) delete this.connection?.submittedNamedStatements[name];
  }
}
