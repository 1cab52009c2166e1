import type { HttpReceiver } from '@postmesh/testing';
import { sendMessage } from './families.js';
import { eventually, type Account, type HttpResponse, type Postmesh } from './harness.js';

/** A call of a webhook. */
export interface Call {
  type: string;
  webhook_id: string;
  data: Record<string, any>; // eslint-disable-line typescript/no-explicit-any
}

export const inSeconds = (seconds: number): string => new Date(Date.now() + seconds * 1_000).toISOString();

const DAY_S = 86_400;
export const inDays = (days: number): string => inSeconds(days * DAY_S);

/** Expects a response with this status. @returns its body */
export function ok(
  { status, body, bytes }: HttpResponse,
  wanted: number,
): any /* eslint-disable-line typescript/no-explicit-any */ {
  if (status !== wanted) throw new Error(`${status} ${bytes.toString()}`);
  return body;
}

/** An account with a domain that may send, and the states of its messages. */
export class Sender {
  private constructor(
    readonly postmesh: Postmesh,
    readonly account: Account,
    readonly domain: string,
  ) {}

  static async make(postmesh: Postmesh): Promise<Sender> {
    const account = await postmesh.newAccount();
    // a test that waits for a count polls often
    const rate_limits = { statistics: { per_second: 1_000, burst: 1_000 } };
    ok(await postmesh.operator('PUT', `/operator/accounts/accounts/${account.id}`, { rate_limits }), 200);
    return new Sender(postmesh, account, await postmesh.verifiedDomain(account));
  }

  api(method: string, path: string, body?: unknown): Promise<HttpResponse> {
    return this.postmesh.api(this.account.key, method, path, body === undefined ? {} : { body });
  }

  /** A conversation with any fields. */
  trySend(to: readonly string[], more: object = {}): Promise<HttpResponse> {
    return sendMessage(this.postmesh, this.account, { from: this.domain, to, more });
  }

  /** A message to one recipient. @returns its uuid */
  async send(to: string, more: object = {}): Promise<string> {
    const { id } = ok(await this.trySend([to], more), 202).data[0];
    return id.slice(1, id.indexOf('@'));
  }

  async read(id: string): Promise<HttpResponse> {
    return this.api('GET', `{A}/messages/${id}`);
  }

  async message(id: string): Promise<any> /* eslint-disable-line typescript/no-explicit-any */ {
    return ok(await this.read(id), 200);
  }

  /** Waits for a status. @returns the message in it */
  async becomes(id: string, status: string, timeoutMs = 60_000) {
    await eventually(async () => (await this.message(id)).status, timeoutMs).toBe(status);
    return this.message(id);
  }

  /** Makes its next attempt due now, instead of in minutes or days. @param more further columns, as SQL */
  async attemptNow(id: string, more = ''): Promise<void> {
    const text = `update delivery_worker.deliveries set due_at = now() ${more} where id = $1 returning id`;
    await eventually(() => this.postmesh.sql(text, [id])).toHaveLength(1);
  }

  /** A webhook for all events of messages. @returns its calls so far */
  async webhook(receiver: HttpReceiver): Promise<() => Call[]> {
    const flags = [
      'reception',
      'delivered',
      'transient_error',
      'failed',
      'bounced',
      'suppressed',
      'opened',
      'clicked',
    ];
    const body = {
      ...{ name: 'All', url: receiver.url, scope: 'global', on_suppression_created: true },
      ...Object.fromEntries(flags.map((flag) => [`on_${flag}`, true])),
    };
    const { id } = ok(await this.api('POST', '{A}/webhooks', body), 201);
    return () =>
      receiver.requests
        .map(({ body: bytes }) => JSON.parse(bytes.toString()) as Call)
        .filter(({ webhook_id }) => webhook_id === id);
  }
}

/** The events of one message, in their order. */
export const typesOf = (calls: readonly Call[], id: string): string[] =>
  calls.filter(({ data }) => data['id'] === id.replaceAll('-', '')).map(({ type }) => type);
