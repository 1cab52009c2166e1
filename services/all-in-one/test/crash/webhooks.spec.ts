import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startHttpReceiver, type HttpReceiver } from '@postmesh/testing';
import { Installation } from '../installation.js';

const KILLS = 2;
const MESSAGES_PER_ROUND = 60;
const randomMs = () => Math.floor(Math.random() * 300);

describe('kill -9 of the dispatcher under load', () => {
  let postmesh: Installation;
  let receiver: HttpReceiver;
  beforeAll(async () => {
    receiver = await startHttpReceiver();
    // slow enough to be in flight when the process is killed; every third call fails, so that retries are met, too
    receiver.respondWith((_, nth) => ({ delayMs: 50, status: nth % 3 === 0 ? 500 : 200 }));
    postmesh = await Installation.create({ POSTMESH_WEBHOOK_RETRY_SCALE: '0.05' });
    await postmesh.start();
    await postmesh.verifiedDomain('crash.test');
    const webhook = {
      name: 'All',
      url: receiver.url,
      scope: 'global',
      on_reception: true,
      on_delivered: true,
    };
    expect((await postmesh.api('POST', '{A}/webhooks', webhook)).status).toBe(201);
  });
  afterAll(async () => {
    await postmesh?.remove();
    await receiver.close();
  });

  it('spec 2-messages §18 rule 10 every event comes at least once, and again under the same id', async () => {
    const accepted = new Set<string>();
    const sendOne = async (number: number) => {
      const recipient = `r${number}@mail.test`;
      const response = await postmesh.api('POST', '{A}/messages/conversation', {
        from: { email: 'a@crash.test' },
        to: [{ email: recipient }],
        subject: `Crash ${number}`,
        text_content: 'x',
      });
      if (response.status === 202) accepted.add(recipient);
    };
    for (let round = 0; round < KILLS; round += 1) {
      const [before, called] = [accepted.size, receiver.requests.length];
      const sends = Array.from({ length: MESSAGES_PER_ROUND }, (_, nth) =>
        sendOne(round * MESSAGES_PER_ROUND + nth).catch(() => undefined),
      );
      await expect.poll(() => accepted.size, { timeout: 30_000, interval: 5 }).toBeGreaterThan(before + 20);
      await expect
        .poll(() => receiver.requests.length, { timeout: 30_000, interval: 5 })
        .toBeGreaterThan(called);
      await new Promise((resolve) => setTimeout(resolve, randomMs()));
      await postmesh.stop('SIGKILL');
      await Promise.all(sends);
      await postmesh.start();
    }
    expect(accepted.size).toBeGreaterThan(60);
    const wanted = [...accepted].flatMap((recipient) =>
      ['message.reception', 'message.delivered'].map((type) => `${type} ${recipient}`),
    );
    const came = () => idsByEvent(receiver);
    await expect
      .poll(() => wanted.filter((event) => !came().has(event)), { timeout: 90_000, interval: 500 })
      .toEqual([]);
    // one id of an event, however often it came; a receiver tells repeats by it
    expect(wanted.filter((event) => came().get(event)!.size !== 1)).toEqual([]);
  }, 240_000);
});

/** Event and recipient → the ids under which it came. */
function idsByEvent(receiver: HttpReceiver): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const { body, headers } of receiver.requests) {
    const { type, data } = JSON.parse(body.toString()) as { type: string; data: { recipient: string } };
    const event = `${type} ${data.recipient}`;
    found.set(event, (found.get(event) ?? new Set()).add(String(headers['webhook-id'])));
  }
  return found;
}
