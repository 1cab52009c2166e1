import { expect } from 'vitest';
import type { Account, ApiKey, ApiOptions, HttpResponse, Postmesh } from './harness.js';

export type SendKind = '' | '/conversation' | '/template';

/** A message of the API with its content parsed. */
export interface ReadMessage {
  // eslint-disable-next-line typescript/no-explicit-any
  body: any;
  /** the field of this name, letter case ignored; undefined when there is none */
  header(name: string): string | undefined;
  html: string;
  text: string;
}

/** Sends of one account from one domain, to the sandbox unless a field overrides it. */
export class Sender {
  constructor(
    private readonly postmesh: Postmesh,
    readonly account: Account,
    readonly domain: string,
  ) {}

  static async make(postmesh: Postmesh): Promise<Sender> {
    const account = await postmesh.newAccount();
    return new Sender(postmesh, account, await postmesh.verifiedDomain(account));
  }

  get from() {
    return { email: `news@${this.domain}` };
  }

  post(kind: SendKind, body: object, options: ApiOptions & { key?: ApiKey } = {}): Promise<HttpResponse> {
    const { key = this.account.key, ...rest } = options;
    return this.postmesh.api(key, 'POST', `{A}/messages${kind}`, {
      body: { sandbox: true, ...body },
      ...rest,
    });
  }

  regular(more: object = {}, options: Parameters<Sender['post']>[2] = {}): Promise<HttpResponse> {
    const message = { from: this.from, subject: 'Hello', text_content: 'Good day' };
    return this.post('', { ...message, recipients: [{ email: 'ann@mail.test' }], ...more }, options);
  }

  conversation(more: object = {}): Promise<HttpResponse> {
    const message = { from: this.from, subject: 'Hello', text_content: 'Good day' };
    return this.post('/conversation', { ...message, to: [{ email: 'ann@mail.test' }], ...more });
  }

  template(templateId: string, more: object = {}): Promise<HttpResponse> {
    const send = { template_id: templateId, recipients: [{ email: 'ann@mail.test' }] };
    return this.post('/template', { ...send, ...more });
  }

  /** A published template with this domain as its sender. @returns its id */
  async published(more: object = {}): Promise<string> {
    const { content = { html: '<p>Hi</p>' }, ...rest } = more as { content?: object };
    const body = { name: 'T', subject: 'Hello', from: this.from, content, publish: true, ...rest };
    const {
      status,
      body: made,
      bytes,
    } = await this.postmesh.api(this.account.key, 'POST', '{A}/templates', {
      body,
    });
    if (status !== 201) throw new Error(`${status} ${bytes.toString()}`);
    return made.id as string;
  }

  /** @param messageId from the response to a send */
  async read(messageId: string): Promise<ReadMessage> {
    const path = `{A}/messages/${encodeURIComponent(messageId)}`;
    const { status, body } = await this.postmesh.api(this.account.key, 'GET', path);
    expect(status).toBe(200);
    const headers = new Map(
      Object.entries<string[]>(body.content_parsed.headers).map(([name, [value]]) => [
        name.toLowerCase(),
        value,
      ]),
    );
    const part = (type: string): string =>
      body.content_parsed.parts
        .find((one: { content_type: string }) => one.content_type === type)
        ?.content.trimEnd() ?? '';
    return {
      body,
      header: (name) => headers.get(name.toLowerCase()),
      html: part('text/html'),
      text: part('text/plain'),
    };
  }

  /** Sends and reads the message of one recipient. */
  async readSent(sent: Promise<HttpResponse>, nth = 0): Promise<ReadMessage> {
    const { status, body } = await sent;
    expect([status, body.message]).toEqual([202, undefined]);
    return this.read(body.data[nth].id);
  }
}

/** Status and text of a refused request: `400 subject is required`. */
export async function errorOf(sent: Promise<HttpResponse>): Promise<string> {
  const { status, body } = await sent;
  expect(Object.keys(body)).toEqual(['message']);
  return `${status} ${body.message}`;
}

/** The error, else the status, of each recipient. */
export async function outcomes(sent: Promise<HttpResponse>): Promise<string[]> {
  const { status, body } = await sent;
  expect([status, body.message]).toEqual([202, undefined]);
  return body.data.map((one: { error?: string; status: string }) => one.error ?? one.status);
}
