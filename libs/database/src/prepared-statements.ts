import pg from 'pg';

export interface PreparingOptions {
  /** most texts of a pool that get a name: each costs memory of the server per connection. Default 300 */
  maxStatements?: number;
  /** how old a plan may be when it is used, ms. Default 2,000 */
  maxPlanAgeMs?: number;
  /** what it is based on; default `pg.Client` */
  base?: typeof pg.Client;
}

/** A statement that begins with this is parsed and planned at each execution. */
export const UNNAMED = '/* unnamed */';

const MAX_STATEMENTS = 300;
// Texts that were seen once. Statements with a text of their own each time must not fill the names.
const MAX_CANDIDATES = 1_000;
const MAX_PLAN_AGE_MS = 2_000;

/** Which texts of one pool have a name. A text gets its name when it comes for the second time. */
class StatementNames {
  private readonly names = new Map<string, string>();
  private readonly candidates = new Set<string>();

  constructor(private readonly max: number) {}

  of(text: string): string | undefined {
    return this.names.get(text) ?? this.admit(text);
  }

  private admit(text: string): string | undefined {
    if (this.names.size >= this.max || text.startsWith(UNNAMED)) return undefined;
    if (!this.candidates.delete(text)) {
      if (this.candidates.size >= MAX_CANDIDATES) this.candidates.clear();
      this.candidates.add(text);
      return undefined;
    }
    const name = `p${this.names.size}`;
    this.names.set(text, name);
    return name;
  }
}

type Callback = (error: unknown, result?: pg.QueryResult) => void;
type RunQuery = (query: pg.Submittable | string, callback: Callback) => unknown;

/** The driver copies a configuration with its descriptors, property by property; a query of one's own it takes as it is. */
class NamedQuery extends pg.Query {
  constructor(
    readonly name: string,
    text: string,
    values: unknown[],
  ) {
    super(text, values);
  }
}

/** A table was changed under a prepared statement inside a transaction, which is to be run again (SQLSTATE class 40). */
class StatementOutdated extends Error {
  readonly code = '40001';
}

/**
 * A client class for pools whose statements with parameters are named, prepared ones: parsed once and planned seldom
 * per connection (planning alone was 115 µs of each message). For the option `Client` of `pg.Pool`.
 *
 * - From the sixth use on PostgreSQL keeps one plan for all parameters, made for the size that its tables had. Made
 *   for an empty queue it reads the whole table (measured: 17 ms for a row by its primary key among 100,000), and only
 *   the next ANALYZE would end that. So plans are discarded when they are used after more than `maxPlanAgeMs`.
 * - A statement that needs its parameters for its plan (a claim by `limit`, a search) begins with `UNNAMED`.
 * - A change of search path or role needs nothing: the server plans again. After a change of a table a statement that
 *   returns other columns is prepared under a new name, and run again where no transaction was lost by it.
 *
 * Not to be used through a pooler that shares connections between transactions.
 */
export function preparingClient(options: PreparingOptions = {}): typeof pg.Client {
  const names = new StatementNames(options.maxStatements ?? MAX_STATEMENTS);
  const maxPlanAgeMs = options.maxPlanAgeMs ?? MAX_PLAN_AGE_MS;

  return class extends (options.base ?? pg.Client) {
    private plannedAt = performance.now();
    /** grows when a table has changed, so that this connection prepares all statements again */
    private generation = 0;

    // the driver's overloads cannot be repeated one by one; whatever is no text with parameters passes through
    override query(...given: unknown[]): never {
      const [text, values, callback] = given as [unknown, unknown, Callback | undefined];
      const name =
        typeof text === 'string' && Array.isArray(values) && values.length > 0 ? names.of(text) : undefined;
      if (name === undefined) return (super.query as (...all: unknown[]) => never)(...given);
      const result = this.runNamed(name, text as string, values as unknown[]);
      if (callback === undefined) return result as never;
      result.then(
        (rows) => process.nextTick(callback, null, rows),
        (error: unknown) => process.nextTick(callback, error),
      );
      return undefined as never;
    }

    private havePlansAged(): boolean {
      if (performance.now() - this.plannedAt <= maxPlanAgeMs) return false;
      this.plannedAt = performance.now();
      return true;
    }

    /** @returns what to throw instead, where a table was changed under a statement of a transaction */
    private outdated(error: unknown, generation: number): StatementOutdated | undefined {
      if (!isOutdated(error)) return undefined;
      if (this.generation === generation) this.generation += 1;
      return new StatementOutdated('a table was changed under a prepared statement', { cause: error });
    }

    private runNamed(name: string, text: string, values: unknown[]): Promise<pg.QueryResult> {
      const run = super.query.bind(this) as RunQuery;
      // in an aborted transaction it fails as the statement will
      if (this.havePlansAged()) run('discard plans', () => undefined);
      const { generation } = this;
      const inTransaction = this.getTransactionStatus() !== 'I';
      const named = () =>
        new Promise<pg.QueryResult>((resolve, reject) => {
          run(new NamedQuery(`${name}_${this.generation}`, text, values), (error, result) =>
            result === undefined ? reject(error) : resolve(result),
          );
        });
      return named().catch((error: unknown) => {
        // else it shows the reading of the socket alone
        if (error instanceof Error) Error.captureStackTrace(error);
        const outdated = this.outdated(error, generation);
        if (!outdated) throw error;
        if (!inTransaction) return named();
        throw outdated;
      });
    }
  };
}

/** "cached plan must not change result type": feature_not_supported is raised for other things, too. */
function isOutdated(error: unknown): boolean {
  return (
    error instanceof pg.DatabaseError && error.code === '0A000' && error.routine === 'RevalidateCachedQuery'
  );
}
