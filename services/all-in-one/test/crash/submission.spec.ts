import { createTransport } from 'nodemailer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Installation } from '../installation.js';

const KILLS = 2;
const MESSAGES_PER_ROUND = 120;
const CONNECTIONS = 12;
const DOMAIN = 'submitted.test';

/** The final dot of some message is always on its way: after so many replies … */
const randomCount = () => 20 + Math.floor(Math.random() * 60);
/** … and then at any moment. */
const randomMs = () => Math.floor(Math.random() * 60);

describe('kill -9 around the final dot of submissions', () => {
  let postmesh: Installation;
  let auth: { user: string; pass: string };
  beforeAll(async () => {
    postmesh = await Installation.create();
    await postmesh.start();
    await postmesh.verifiedDomain(DOMAIN);
    const { body } = await postmesh.api('POST', '{A}/smtp-credentials', { name: 'crash', scope: 'global' });
    auth = { user: body.username, pass: body.password };
  });
  afterAll(() => postmesh?.remove());

  const connect = () =>
    createTransport({
      host: '127.0.0.1',
      port: postmesh.credentials.smtp.port,
      requireTLS: true,
      tls: { rejectUnauthorized: false },
      pool: true,
      maxConnections: CONNECTIONS,
      maxMessages: Infinity,
      auth,
    });

  it('spec 2-messages §13 rule 9: loses nothing that was answered with 250, and repeats only what nobody can know', async () => {
    /** recipients of what was answered with 250, and the id in it */
    const answered = new Map<string, string>();
    let sequence = 0;
    const submitOne = async (transport: ReturnType<typeof connect>) => {
      const to = `s${++sequence}@mail.test`;
      const { response } = await transport.sendMail({
        envelope: { from: `a@${DOMAIN}`, to: [to] },
        from: `a@${DOMAIN}`,
        to,
        subject: to,
        text: 'x'.repeat(500),
      });
      const id = /^250 2\.0\.0 OK (\S+)$/.exec(response)?.[1];
      if (id !== undefined) answered.set(to, id);
    };
    const submitMany = (transport: ReturnType<typeof connect>, count: number) =>
      Array.from({ length: count }, () => submitOne(transport).catch(() => undefined));

    for (let round = 0; round < KILLS; round++) {
      const transport = connect();
      // who is cut off may connect again, to nobody
      transport.on('error', () => undefined);
      const sends = submitMany(transport, MESSAGES_PER_ROUND);
      const enough = answered.size + randomCount();
      await expect.poll(() => answered.size, { timeout: 30_000, interval: 2 }).toBeGreaterThanOrEqual(enough);
      await new Promise((resolve) => setTimeout(resolve, randomMs()));
      await postmesh.stop('SIGKILL');
      transport.close();
      await Promise.all(sends);
      await postmesh.start();
    }
    const transport = connect();
    await Promise.all(submitMany(transport, 20));
    transport.close();
    expect(answered.size).toBeGreaterThan(80);

    const arrivals = async () => {
      const { body } = await postmesh.mailbox('/api/messages?limit=5000');
      const counts = new Map<string, number>();
      for (const { to } of body.messages as { to: [string] }[])
        counts.set(to[0], (counts.get(to[0]) ?? 0) + 1);
      return counts;
    };
    const missing = async () => {
      const counts = await arrivals();
      return [...answered.keys()].filter((to) => !counts.has(to));
    };
    await expect.poll(missing, { timeout: 90_000, interval: 500 }).toEqual([]);
    for (const [to, count] of await arrivals()) {
      const id = answered.get(to);
      if (count === 1 || id === undefined) continue;
      // the attempt was cut off, and the message says so
      const { body } = await postmesh.api('GET', `{A}/messages/${id}`);
      expect(body.num_attempts).toBeGreaterThanOrEqual(count);
    }
    const states = async () => {
      const found = new Set<string>();
      for (const id of answered.values()) {
        found.add((await postmesh.api('GET', `{A}/messages/${id}`)).body.status as string);
      }
      return [...found];
    };
    await expect.poll(states, { timeout: 60_000, interval: 1_000 }).toEqual(['Delivered']);
  }, 300_000);
});
