// @ts-check
// Sessions of simulated processes with a real PostgreSQL. Each statement waits until the scheduler executes it; the
// scheduler may end a session before it, or after it without an answer.
import { EventEmitter } from 'node:events';
import { currentOwner, machinePause, runIn, settle } from './virtual-time.mjs';

/** @typedef {import('./virtual-time.mjs').Owner} Owner */
/** @typedef {{ text: string, values: unknown[] | undefined, rowMode?: 'array', done: (error: unknown, result?: any) => void }} Statement */

const isBegin = (/** @type {string} */ text) => text === 'START TRANSACTION' || text === 'begin';
export const isCommit = (/** @type {string} */ text) => text === 'COMMIT' || text === 'commit';
export const isRollback = (/** @type {string} */ text) => text === 'ROLLBACK' || text === 'rollback';

const lost = () => new Error('Connection terminated unexpectedly');
const terminated = () =>
  Object.assign(new Error('terminating connection due to administrator command'), { code: '57P01' });
const refused = () => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });

/** The sessions of one world. */
export class Sessions {
  /** @type {Set<SimulatedClient>} */
  open = new Set();
  /** sessions of processes that ended, whose server side is to be rolled back */
  /** @type {SimulatedClient[]} */
  orphans = [];
  nth = 0;
  isDown = false;

  /**
   * @param {import('./store.mjs').Store} store
   * @param {(client: SimulatedClient, channel: string, payload: string) => void} [notify] a notification is on its way
   */
  constructor(store, notify) {
    this.store = store;
    this.notify = notify;
  }

  /** A commit of NOTIFY. @param {string} channel @param {string} payload */
  notified(channel, payload) {
    for (const one of this.open) if (one.channels.has(channel)) this.notify?.(one, channel, payload);
  }

  /** @returns {SimulatedClient[]} with a statement that may be executed now, in a fixed order */
  ready(/** @type {number} */ now) {
    return [...this.open].filter(
      ({ queue, running, owner, heldUntil }) =>
        queue.length > 0 && !running && owner.isAlive && owner.stalledUntil <= now && heldUntil <= now,
    );
  }

  /** Whether a lock may be waited for: another session has a transaction. @param {SimulatedClient} me */
  mayBlock(me) {
    for (const one of this.open) if (one !== me && one.isInTransaction) return true;
    return false;
  }
}

/** @type {Sessions | undefined} */
let current;
/** @param {Sessions} sessions those that clients of processes belong to from now on */
export const useSessions = (sessions) => {
  current = sessions;
};

/** The part of the driver's client that its pool and TypeORM use. */
export class SimulatedClient extends EventEmitter {
  _queryable = true;
  _ending = false;
  _connected = false;
  /** @type {Statement[]} */
  queue = [];
  /** @type {Promise<any> | undefined} the statement that the server has and did not end, as it waits for a lock */
  running = undefined;
  /** @type {Statement | undefined} the one that the server has and has not answered */
  asked = undefined;
  isInTransaction = false;
  /** virtual ms: its next statement is executed then */
  heldUntil = 0;
  /** virtual ms: the server got a statement of it, or answered one */
  changedAt = 0;
  /** @type {Set<string>} it listens to these */
  channels = new Set();
  /** @type {import('./store.mjs').Backend | undefined} */
  backend = undefined;
  /** the pool ends a connection that takes too long by this */
  connection = { stream: { destroy: (/** @type {unknown} */ error) => this.cut(error ?? lost()) } };

  constructor() {
    super();
    const [owner, sessions] = [currentOwner(), current];
    if (!owner || !sessions) throw new Error('a client outside of a simulated process');
    /** @type {Owner} */
    this.owner = owner;
    this.sessions = sessions;
    this.nth = sessions.nth++;
    this.on('error', () => undefined);
  }

  connect(/** @type {((error?: unknown) => void) | undefined} */ callback) {
    this.sessions.open.add(this);
    const ask = (/** @type {(error?: unknown) => void} */ done) =>
      this.queue.push({ text: 'connect', values: undefined, done: (error) => done(error ?? undefined) });
    if (callback) return void ask(callback);
    return new Promise((resolve, reject) => ask((error) => (error ? reject(error) : resolve(undefined))));
  }

  query(/** @type {any} */ text, /** @type {any} */ values, /** @type {any} */ callback) {
    if (typeof values === 'function') [values, callback] = [undefined, values];
    if (typeof callback === 'function') {
      this.push(text, values, callback);
      return undefined;
    }
    return new Promise((resolve, reject) =>
      this.push(text, values, (error, result) => (error ? reject(error) : resolve(result))),
    );
  }

  /** @param {any} given @param {any} values @param {Statement['done']} done */
  push(given, values, done) {
    const text = typeof given === 'string' ? given : given.text;
    if (!this._queryable) {
      const error = new Error('Client has encountered a connection error and is not queryable');
      process.nextTick(() => done(error));
      return;
    }
    this.queue.push({ text, values: values ?? given.values, rowMode: given.rowMode, done });
  }

  end(/** @type {(() => void) | undefined} */ callback) {
    this._ending = true;
    this._queryable = false;
    this.leave();
    process.nextTick(() => this.emit('end'));
    if (callback) process.nextTick(callback);
    return Promise.resolve();
  }

  ref() {}
  unref() {}
  isConnected() {
    return this._connected;
  }
  getTransactionStatus() {
    return this.isInTransaction ? 'T' : 'I';
  }

  /** The connection is lost: every waiting caller gets the error. @param {unknown} [error] */
  cut(error = lost()) {
    if (!this._queryable) return;
    this._queryable = false;
    const waiting = [...(this.asked ? [this.asked] : []), ...this.queue.splice(0)];
    this.asked = undefined;
    this.leave();
    const { owner } = this;
    const tell = () => {
      for (const { done } of waiting) done(error);
      this.emit('error', error);
      this.emit('end');
    };
    const stalledMs = owner.stalledUntil - owner.time.now;
    if (stalledMs > 0) owner.time.after(stalledMs, tell, owner);
    else runIn(owner, tell);
  }

  /** Its server side is to be rolled back. */
  leave() {
    if (this.sessions.open.delete(this) && this.backend) this.sessions.orphans.push(this);
  }
}

/**
 * Executes the next statement of a session.
 * @param {SimulatedClient} client
 * @returns {Promise<{ statement: Statement, isWaiting: boolean }>}
 */
export async function execute(client) {
  const statement = /** @type {Statement} */ (client.queue.shift());
  const { sessions } = client;
  if (statement.text === 'connect') {
    if (!sessions.isDown) client.backend = sessions.store.take(client.owner.schema);
    client._connected = !sessions.isDown;
    if (sessions.isDown) sessions.open.delete(client);
    runIn(client.owner, () => statement.done(sessions.isDown ? refused() : undefined));
    return { statement, isWaiting: false };
  }
  const backend = /** @type {import('./store.mjs').Backend} */ (client.backend);
  client.changedAt = client.owner.time.now;
  const asked = backend.query(...atTheirTimes(statement, sessions), statement.rowMode).then(
    (result) => ({ result, error: undefined }),
    (error) => ({ result: undefined, error }),
  );
  client.asked = statement;
  client.running = asked.then((answer) => ({ answer, statement }));
  if (sessions.mayBlock(client) && !(await endsUnblocked(backend, asked)))
    return { statement, isWaiting: true };
  await deliver(client, await client.running);
  return { statement, isWaiting: false };
}

/**
 * Answers, until the code that the answer makes ready has run: the answer of a further session, which PostgreSQL may have
 * sent already, comes behind it, and the scheduler moves the time behind both.
 * @param {SimulatedClient} client @param {{ answer: any, statement: Statement }} ended
 */
export async function deliver(client, { answer, statement }) {
  client.running = undefined;
  client.asked = undefined;
  const { text, values } = statement;
  client.changedAt = client.owner.time.now;
  if (!answer.error) afterwards(client, text, values, answer.result);
  if (!answer.error && isBegin(text)) client.isInTransaction = true;
  if (isCommit(text) || isRollback(text)) client.isInTransaction = false;
  if (!client._queryable || !client.owner.isAlive) return;
  runIn(client.owner, () => statement.done(answer.error, answer.result));
  await settle();
}

const TERMINATES = 'pg_terminate_backend(a.pid)';

/**
 * The times of the server's sessions are those of the world; `afterwards` ends them.
 * @param {Statement} statement @param {Sessions} sessions @returns {[text: string, values: unknown[] | undefined]}
 */
function atTheirTimes({ text, values }, { open }) {
  if (!text.includes(TERMINATES)) return [text, values];
  const known = [...open].flatMap(({ backend, changedAt }) =>
    backend ? [{ pid: backend.pid, changedAt }] : [],
  );
  const nth = values?.length ?? 0;
  const times = `(select pid, timestamptz 'epoch' + ms * interval '1 millisecond' as state_change
    from unnest($${nth + 1}::int[], $${nth + 2}::float8[]) as s(pid, ms))`;
  return [
    text.replace(TERMINATES, 'a.pid as ended').replace('pg_stat_activity', times),
    [...(values ?? []), known.map(({ pid }) => pid), known.map(({ changedAt }) => changedAt)],
  ];
}

/** Further effects of a statement. @param {SimulatedClient} client @param {string} text @param {unknown[] | undefined} values @param {any} result */
function afterwards(client, text, values, result) {
  const { sessions } = client;
  if (text.startsWith('listen ')) client.channels.add(text.slice('listen '.length));
  const notify = /pg_notify\((?:'(\w+)'|\$1), \$(\d)\)/.exec(text);
  if (notify) sessions.notified(String(notify[1] ?? values?.[0]), String(values?.[Number(notify[2]) - 1]));
  if (!text.includes(TERMINATES)) return;
  for (const { ended: pid } of result.rows)
    for (const one of [...sessions.open]) if (one.backend?.pid === pid) one.cut(terminated());
}

/**
 * Whether the statement ends, or waits for a lock of another session. How long either takes is nothing that is decided
 * by it. A session that waits is stopped: of several that wait for one transaction, PostgreSQL lets any be the next. The
 * statement that closes a deadlock ends by it.
 * @param {import('./store.mjs').Backend} backend @param {Promise<unknown>} asked
 */
export async function endsUnblocked(backend, asked) {
  backend.resume();
  const ended = asked.then(() => true);
  for (;;) {
    if (await Promise.race([ended, machinePause(2).then(() => false)])) return true;
    if ((await backend.whatItDoes()) !== 'waits') continue;
    backend.halt();
    return false;
  }
}

/** The server ends the sessions whose client is gone. @param {Sessions} sessions */
export async function endOrphans(sessions) {
  for (const client of sessions.orphans.splice(0)) {
    const { backend } = client;
    if (!backend) continue;
    backend.resume();
    if (client.running) await backend.cancel();
    await client.running;
    await backend.reset();
    client.isInTransaction = false;
    client.backend = undefined;
    sessions.store.putBack(backend);
  }
}
