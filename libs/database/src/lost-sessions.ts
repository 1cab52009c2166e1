import pg from 'pg';

/** A session as its client knows it. */
export interface Session {
  /** of its process on the server; null before it has begun */
  readonly processID: number | null;
  readonly host: string;
  readonly port: number;
  readonly user?: string | undefined;
  readonly database?: string | undefined;
  readonly password?: unknown;
  readonly ssl?: unknown;
}

/** `idle`: the server awaits a statement, though one was sent; `missing`: it has no such session */
export type Lost = 'idle' | 'missing';

// A session that was at work a moment ago may have sent an answer that is on its way.
const SESSIONS = `
  select pid, state like 'idle%' as idle, state_change < clock_timestamp() - interval '1 second' as is_long
    from pg_stat_activity where pid = pg_backend_pid() or pid = any($1::integer[])`;
const LOOK_MS = 3_000;

interface Row {
  pid: number;
  /** null where the login may not see it */
  idle: boolean | null;
  is_long: boolean | null;
}

/**
 * Which of the sessions of one server cannot answer any more, by the server: TCP repeats what it sent on a connection that is lost
 * for a quarter of an hour, and a statement that takes long looks the same. A look sees the sessions of its own login. Behind a
 * pooler, where a client does not know its session, none is found.
 * @throws the driver's error when the server cannot be asked
 */
export async function sessionsLost(waiting: readonly Session[]): Promise<Map<Session, Lost>> {
  const lost = new Map<Session, Lost>();
  const begun = waiting.filter(({ processID }) => processID !== null);
  for (const login of new Set(begun.map(({ user }) => user))) {
    const sessions = begun.filter(({ user }) => user === login);
    for (const [session, how] of await lostOfLogin(sessions)) lost.set(session, how);
  }
  return lost;
}

async function lostOfLogin(sessions: readonly Session[]): Promise<Map<Session, Lost>> {
  const { host, port, user, database, password, ssl } = sessions[0] ?? {};
  const client = new pg.Client({
    ...({ host, port, user, database, password, ssl } as pg.ClientConfig),
    application_name: 'postmesh-look',
    ...{ connectionTimeoutMillis: LOOK_MS, statement_timeout: LOOK_MS, query_timeout: LOOK_MS },
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<Row>(SESSIONS, [sessions.map(({ processID }) => processID)]);
    const { processID: own } = client as unknown as Session;
    const isPooled = !rows.some(({ pid }) => pid === own);
    return isPooled ? new Map() : lostOf(sessions, rows);
  } finally {
    void client.end().catch(() => undefined);
  }
}

function lostOf(sessions: readonly Session[], rows: readonly Row[]): Map<Session, Lost> {
  const known = new Map(rows.map((row) => [row.pid, row]));
  const lost = new Map<Session, Lost>();
  for (const session of sessions) {
    const row = known.get(session.processID ?? 0);
    if (row === undefined) lost.set(session, 'missing');
    else if (row.idle && row.is_long) lost.set(session, 'idle');
  }
  return lost;
}
