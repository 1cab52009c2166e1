// @ts-check
// Sends in two steps: a prepared message is fixed, shown to a person, and sent once with the key of its preparation.
import { randomUUID } from 'node:crypto';
import { OperatorTrouble } from '../operator-cli/requests.mjs';

const MAX_PREPARED = 20;
const LIFETIME_MS = 900_000;
// The API has not accepted it; after 409 another request with the key is in progress, after 5xx or none it may have.
const NOT_SENT = [400, 401, 403, 404, 413, 422, 429];

/**
 * @typedef {object} Message
 * @property {string} path of the operation, below the account
 * @property {{ recipients: { email: string }[] } & Record<string, unknown>} body as it is sent
 * @property {string} preview as a person reads it
 *
 * @typedef {Message & { id: string, expiresAt: number, isApproved: boolean, result?: any, running?: Promise<any> }} Prepared
 */

export class PreparedSends {
  /** oldest first @type {Map<string, Prepared>} */
  #prepared = new Map();

  /**
   * @param {object} parts
   * @param {import('./send-budget.mjs').SendBudget} parts.budget
   * @param {import('./approval.mjs').Approve} parts.approve
   * @param {(path: string, body: object, idempotencyKey: string) => Promise<any>} parts.post
   * @param {() => number} [parts.now] milliseconds
   */
  constructor({ budget, approve, post, now = Date.now }) {
    this.budget = budget;
    this.approve = approve;
    this.post = post;
    this.now = now;
  }

  /** @param {Message} message @returns {Prepared} @throws OperatorTrouble when the budget does not allow it */
  prepare(message) {
    this.budget.check(message.body.recipients.length);
    for (const [id, { expiresAt, running }] of this.#prepared)
      if (!running && (expiresAt <= this.now() || this.#prepared.size >= MAX_PREPARED))
        this.#prepared.delete(id);
    const prepared = {
      ...message,
      id: randomUUID(),
      expiresAt: this.now() + LIFETIME_MS,
      isApproved: false,
    };
    this.#prepared.set(prepared.id, prepared);
    return prepared;
  }

  /**
   * Sends what was prepared, when the person approves it. The same id again has the same result; after an error without a
   * response it repeats the request with the same key.
   * @param {string} id
   * @returns {Promise<any>} the response of the API
   * @throws OperatorTrouble
   */
  async send(id) {
    const prepared = this.#prepared.get(id);
    if (!prepared || prepared.expiresAt <= this.now())
      throw new OperatorTrouble('no message was prepared with this approval id in the last 15 minutes');
    if (prepared.result) return prepared.result;
    prepared.running ??= this.#run(prepared).finally(() => (prepared.running = undefined));
    return prepared.running;
  }

  /** @param {Prepared} prepared */
  async #run(prepared) {
    const { id, path, body, preview } = prepared;
    if (!prepared.isApproved) {
      this.budget.check(body.recipients.length);
      if (!(await this.approve(preview))) {
        this.#prepared.delete(id);
        throw new OperatorTrouble('the person did not approve it: nothing was sent');
      }
      prepared.isApproved = true;
    }
    this.budget.reserve(id, body.recipients.length);
    try {
      prepared.result = await this.post(path, body, `mcp-${id}`);
      return prepared.result;
    } catch (error) {
      if (NOT_SENT.includes(error.status)) this.budget.release(id);
      throw error;
    }
  }
}
