import { createTransport } from 'nodemailer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startHttpReceiver, type HttpReceiver } from '@postmesh/testing';
import { Installation } from '../installation.js';

const KILLS = 2;
const MESSAGES_PER_ROUND = 120;
const CONNECTIONS = 12;
const DOMAIN = 'inbound.test';

/** The final dot of some message is always on its way: after so many replies … */
const randomCount = () => 20 + Math.floor(Math.random() * 60);
/** … and then at any moment. */
const randomMs = () => Math.floor(Math.random() * 60);

describe('kill -9 around the final dot of inbound mail', () => {
  let postmesh: Installation;
  let receiver: HttpReceiver;
  beforeAll(async () => {
    receiver = await startHttpReceiver();
    postmesh = await Installation.create();
    await postmesh.start();
    await postmesh.verifiedDomain(DOMAIN);
    const body = { name: 'crash', url: receiver.url, recipient: `*@${DOMAIN}` };
    expect((await postmesh.api('POST', '{A}/routes', body)).status).toBe(201);
  });
  afterAll(async () => {
    await postmesh?.remove();
    await receiver?.close();
  });

  const connect = () =>
    createTransport({
      host: '127.0.0.1',
      port: postmesh.credentials.smtp.mx_port,
      requireTLS: true,
      tls: { rejectUnauthorized: false },
      pool: true,
      maxConnections: CONNECTIONS,
      maxMessages: Infinity,
    });

  it('spec 2-messages §16 rule 4: what was answered with 250 is a record, and its route is called', async () => {
    /** recipients of what was answered with 250, and the id in it */
    const answered = new Map<string, string>();
    let sequence = 0;
    const deliverOne = async (transport: ReturnType<typeof connect>) => {
      const to = `t${++sequence}@${DOMAIN}`;
      const { response } = await transport.sendMail({
        envelope: { from: 'zoe@mail.test', to: [to] },
        ...{ from: 'zoe@mail.test', to, subject: to, text: 'x'.repeat(500) },
      });
      const id = /^250 2\.0\.0 OK (\S+)$/.exec(response)?.[1];
      if (id !== undefined) answered.set(to, id);
    };
    const deliverMany = (transport: ReturnType<typeof connect>, count: number) =>
      Array.from({ length: count }, () => deliverOne(transport).catch(() => undefined));

    for (let round = 0; round < KILLS; round++) {
      const transport = connect();
      // who is cut off may connect again, to nobody
      transport.on('error', () => undefined);
      const deliveries = deliverMany(transport, MESSAGES_PER_ROUND);
      const enough = answered.size + randomCount();
      await expect.poll(() => answered.size, { timeout: 30_000, interval: 2 }).toBeGreaterThanOrEqual(enough);
      await new Promise((resolve) => setTimeout(resolve, randomMs()));
      await postmesh.stop('SIGKILL');
      transport.close();
      await Promise.all(deliveries);
      await postmesh.start();
    }
    expect(answered.size).toBeGreaterThan(80);

    for (const [to, id] of answered) {
      const { status, body } = await postmesh.api('GET', `{A}/messages/${id}`);
      expect([status, body.recipient, body.direction]).toEqual([200, to, 'inbound']);
      expect(body.content).toContain(`Subject: ${to}`);
    }
    const uncalled = () => {
      const called = new Set(
        receiver.requests.map(
          ({ body }) => (JSON.parse(body.toString()) as { data: { id: string } }).data.id,
        ),
      );
      return [...answered].filter(([, id]) => !called.has(id.replaceAll('-', ''))).map(([to]) => to);
    };
    await expect.poll(uncalled, { timeout: 120_000, interval: 1_000 }).toEqual([]);
  }, 300_000);
});
