// @ts-check
// How many messages an assistant may send: in one run, and per account and day over all runs.
import {
  closeSync,
  constants,
  fchmodSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { OperatorTrouble } from '../operator-cli/requests.mjs';

// An ended send has a line of about 100 bytes: ten times the largest budget.
const MAX_BYTES = 10_000_000;
const APPEND =
  constants.O_RDWR |
  constants.O_APPEND |
  constants.O_CREAT |
  /* not on Windows */ (constants.O_NOFOLLOW ?? 0);

/**
 * One file per account and day, to which each run appends a line per send. The order of the lines decides which of them
 * fit, so that runs at the same time need no lock, and a killed one leaves none.
 */
export class SendBudget {
  /** ids of this run → messages, and the file that counts them @type {Map<string, { messages: number, path: string }>} */
  #reserved = new Map();

  /**
   * @param {object} settings
   * @param {string} settings.folder
   * @param {string} settings.accountId
   * @param {number} settings.perRun
   * @param {number} settings.perDay
   * @param {() => Date} [settings.now]
   */
  constructor({ folder, accountId, perRun, perDay, now = () => new Date() }) {
    this.folder = folder;
    this.accountId = accountId;
    this.perRun = perRun;
    this.perDay = perDay;
    this.now = now;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#removeOlder();
  }

  /** @returns {{ run: number, day: number }} how many messages may still be sent @throws OperatorTrouble */
  get left() {
    const [run, day] = [this.#sentInRun(), grantedIn(readLines(this.#path())).sum];
    return { run: Math.max(0, this.perRun - run), day: Math.max(0, this.perDay - day) };
  }

  /**
   * Counts the messages of a send before it begins; an id that is counted already is not counted again.
   * @param {string} id of the send
   * @param {number} messages
   * @throws OperatorTrouble when they do not fit
   */
  reserve(id, messages) {
    if (this.#reserved.has(id)) return;
    this.check(messages);
    const path = this.#path();
    appendLine(path, { id, messages, limit: this.perDay });
    if (!grantedIn(readLines(path)).byId.has(id)) throw this.#trouble();
    this.#reserved.set(id, { messages, path });
  }

  /** @param {number} messages @throws OperatorTrouble when they do not fit */
  check(messages) {
    const { run, day } = this.left;
    if (messages > run || messages > day) throw this.#trouble();
  }

  /** Gives back what was reserved for a send that did not happen. @param {string} id */
  release(id) {
    const reserved = this.#reserved.get(id);
    if (!reserved) return;
    appendLine(reserved.path, { id, released: true });
    this.#reserved.delete(id);
  }

  #sentInRun() {
    return [...this.#reserved.values()].reduce((sum, { messages }) => sum + messages, 0);
  }

  #path() {
    return join(this.folder, `mcp-sends-${this.accountId}-${this.now().toISOString().slice(0, 10)}.jsonl`);
  }

  #trouble() {
    const { run, day } = this.left;
    return new OperatorTrouble(
      `the budget does not allow it: ${run} of ${this.perRun} messages are left in this run, ${day} of ${this.perDay} today (UTC)`,
    );
  }

  #removeOlder() {
    const today = this.#path();
    for (const name of readdirSync(this.folder)) {
      const path = join(this.folder, name);
      if (name.startsWith(`mcp-sends-${this.accountId}-`) && path < today) rmSync(path, { force: true });
    }
  }
}

/** @param {string} path @param {object} line */
function appendLine(path, line) {
  const file = openSync(path, APPEND, 0o600);
  try {
    fchmodSync(file, 0o600);
    writeSync(file, `${JSON.stringify(line)}\n`);
  } finally {
    closeSync(file);
  }
}

/**
 * @param {string} path
 * @returns {{ id: string, messages?: number, limit?: number, released?: boolean }[]}
 * @throws OperatorTrouble when the file is not as it was written: then no one knows what was sent
 */
function readLines(path) {
  try {
    const text = readFileSync(path, 'utf8');
    if (text.length > MAX_BYTES) throw new Error('too large');
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw new OperatorTrouble(`${path} cannot be read (${error.message}): nothing is sent`);
  }
}

/**
 * Each line is judged by its own limit, so that every run comes to the same result whatever its settings are.
 * @param {ReturnType<typeof readLines>} lines
 */
function grantedIn(lines) {
  /** @type {Map<string, number>} */
  const byId = new Map();
  let sum = 0;
  for (const { id, messages = 0, limit = 0, released } of lines) {
    if (released) {
      sum -= byId.get(id) ?? 0;
      byId.delete(id);
    } else if (!byId.has(id) && sum + messages <= limit) {
      sum += messages;
      byId.set(id, messages);
    }
  }
  return { byId, sum };
}
