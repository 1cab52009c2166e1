import pg from 'pg';

/** A transaction as the driver was given it. */
export interface SentTransaction {
  /** its statements, BEGIN and COMMIT among them, in their order */
  readonly texts: readonly string[];
  /** how often something of it was written to the server: statements that went together are one write (ADR 90) */
  readonly writes: number;
}

/**
 * The transactions that are committed while the work runs, of all connections of this process, in the order of their
 * commits. One that has begun before is not among them.
 */
export async function transactionsOf(work: () => Promise<unknown>): Promise<SentTransaction[]> {
  const committed: SentTransaction[] = [];
  const open = new Map<pg.Client, SentTransaction>();
  const { query } = pg.Client.prototype;
  function watchedQuery(this: pg.Client, ...given: unknown[]): unknown {
    note(this, textsOf(given[0]));
    return Reflect.apply(query, this, given);
  }
  function note(client: pg.Client, texts: readonly string[]): void {
    const before = texts.some(isBegin) ? { texts: [], writes: 0 } : open.get(client);
    if (before === undefined) return;
    const sent = { texts: [...before.texts, ...texts], writes: before.writes + 1 };
    if (texts.some(isEnd)) open.delete(client);
    else open.set(client, sent);
    if (texts.some(isCommit)) committed.push(sent);
  }
  pg.Client.prototype.query = watchedQuery as typeof query;
  try {
    await work();
    return committed;
  } finally {
    pg.Client.prototype.query = query;
  }
}

/** How often each transaction that runs such a statement was written to the server. */
export const writesWith = (transactions: readonly SentTransaction[], statement: RegExp): number[] =>
  transactions.filter(({ texts }) => texts.some((text) => statement.test(text))).map(({ writes }) => writes);

const isBegin = (text: string): boolean => /^(begin|start transaction)\b/i.test(text);
const isCommit = (text: string): boolean => /^commit$/i.test(text);
const isEnd = (text: string): boolean => isCommit(text) || /^rollback$/i.test(text);

/** The arguments of `query`: a text, an object with one, or the batch of libs/database, which has several. */
function textsOf(given: unknown): readonly string[] {
  if (typeof given === 'string') return [given];
  const { text, texts = [] } = given as { text?: string; texts?: readonly string[] };
  return text === undefined ? texts : [text];
}
