import { randomInt } from 'node:crypto';
import type pg from 'pg';
import { Transient } from '@postmesh/contracts';
import type { Logger } from '@postmesh/observability';
import { KeptSession } from './kept-session.js';

// The second key is the mark; 727_001 to 727_005 are the locks of migrations, relay and bus.
const MARK_LOCK = 727_006;
const MARKS = 2 ** 31;
const SILENCE_MS = 5_000;

export interface SessionMarkOptions {
  url: string;
  /** how the connection is named in pg_stat_activity */
  applicationName: string;
  logger: Logger;
}

/**
 * The liveness lock of a process: a number in the rows that the process works on, locked in a session of its own.
 * PostgreSQL ends the session of a process that died at once, and of a machine that vanished after some ten seconds;
 * `markIsGone` is then true. A session that was lost comes back with another number: rows with the old one have no
 * owner any more, so work on them must be fenced.
 */
export class SessionMark {
  private number: number | null = null;
  private readonly session: KeptSession<number>;
  private opening: Promise<void> | undefined;

  constructor({ url, applicationName, logger }: SessionMarkOptions) {
    this.session = new KeptSession({
      url,
      applicationName,
      silenceMs: SILENCE_MS,
      begin: takeMark,
      onBegun: (number) => (this.number = number),
      onLost: (error) => {
        this.number = null;
        const line = { event: 'session_mark.lost', application: applicationName, err: error };
        logger.warn(line, 'marking session lost, reconnecting');
      },
    });
  }

  /** Opens the session at the first call. @returns null while there is none; the call does not wait for a retry */
  async current(): Promise<number | null> {
    await (this.opening ??= this.session.open());
    return this.number;
  }

  async stop(): Promise<void> {
    this.number = null;
    await this.session.stop();
  }
}

/** @throws Transient when another session has drawn the same number */
async function takeMark(client: pg.Client): Promise<number> {
  const number = randomInt(1, MARKS);
  const { rows } = await client.query<{ mine: boolean }>('select pg_try_advisory_lock($1, $2) as mine', [
    MARK_LOCK,
    number,
  ]);
  if (!rows[0]?.mine) throw new Transient('the mark is taken');
  return number;
}

/**
 * SQL: whether the session of a mark has ended; false where there is no mark. It tries the lock and gives it back with
 * the transaction, which costs the same however many locks there are.
 * @param mark SQL, an integer
 */
export const markIsGone = (mark: string): string =>
  `(case when ${mark} is null then false else pg_try_advisory_xact_lock_shared(${MARK_LOCK}, ${mark}) end)`;
