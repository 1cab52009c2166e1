import pg from 'pg';

/** A transaction as the driver was given it. */
export interface SentTransaction {
  /** its statements, BEGIN and COMMIT among them, in their order */
  readonly texts: readonly string[];
  /** statements that were sent when all before them were answered: the others did not wait (decision 115) */
  readonly roundTrips: number;
}

/**
 * The transactions that are committed while the work runs, of all connections of this process, in the order of their
 * commits. One that has begun before is not among them.
 */
export async function transactionsOf(work: () => Promise<unknown>): Promise<SentTransaction[]> {
  const committed: SentTransaction[] = [];
  const open = new Map<pg.Client, SentTransaction>();
  const unanswered = new Map<pg.Client, number>();
  const { query } = pg.Client.prototype;
  function watchedQuery(this: pg.Client, ...given: unknown[]): unknown {
    const waiting = unanswered.get(this) ?? 0;
    note(this, textOf(given[0]), waiting === 0);
    unanswered.set(this, waiting + 1);
    const answered = () => unanswered.set(this, (unanswered.get(this) ?? 1) - 1);
    const callback = given.at(-1);
    if (typeof callback === 'function') {
      given[given.length - 1] = (...results: unknown[]) => {
        answered();
        Reflect.apply(callback, undefined, results);
      };
    }
    const result: unknown = Reflect.apply(query, this, given);
    if (result instanceof Promise) result.then(answered, answered);
    return result;
  }
  function note(client: pg.Client, text: string, waited: boolean): void {
    const before = isBegin(text) ? { texts: [], roundTrips: 0 } : open.get(client);
    if (before === undefined) return;
    const sent = { texts: [...before.texts, text], roundTrips: before.roundTrips + (waited ? 1 : 0) };
    if (isEnd(text)) open.delete(client);
    else open.set(client, sent);
    if (isCommit(text)) committed.push(sent);
  }
  pg.Client.prototype.query = watchedQuery as typeof query;
  try {
    await work();
    return committed;
  } finally {
    pg.Client.prototype.query = query;
  }
}

/** How often each transaction that runs such a statement waited for the server. */
export const roundTripsWith = (transactions: readonly SentTransaction[], statement: RegExp): number[] =>
  transactions
    .filter(({ texts }) => texts.some((text) => statement.test(text)))
    .map(({ roundTrips }) => roundTrips);

const isBegin = (text: string): boolean => /^(begin|start transaction)\b/i.test(text);
const isCommit = (text: string): boolean => /^commit$/i.test(text);
const isEnd = (text: string): boolean => isCommit(text) || /^rollback$/i.test(text);

/** The first argument of `query`: a text, or an object with one. */
const textOf = (given: unknown): string =>
  typeof given === 'string' ? given : (given as { text: string }).text;
