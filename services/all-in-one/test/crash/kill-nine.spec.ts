import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Installation } from '../installation.js';

const KILLS = 6;
const MESSAGES_PER_ROUND = 80;

/** A kill should meet accepting, relaying, claiming, sending and recording: after so many of a round are accepted … */
const randomCount = () => 20 + Math.floor(Math.random() * 40);
/** … and then at any moment. */
const randomMs = () => Math.floor(Math.random() * 300);

describe('kill -9 at random moments under load', () => {
  let postmesh: Installation;
  beforeAll(async () => {
    postmesh = await Installation.create();
    await postmesh.start();
    await postmesh.verifiedDomain('crash.test');
  });
  afterAll(() => postmesh?.remove());

  it('loses no accepted message, and sends twice only what nobody can know', async () => {
    const accepted = new Map<string, string>();
    let sequence = 0;
    const sendOne = async () => {
      const number = ++sequence;
      const recipient = `r${number}@mail.test`;
      const response = await postmesh.api(
        'POST',
        '{A}/messages/conversation',
        {
          from: { email: 'a@crash.test' },
          to: [{ email: recipient }],
          subject: `Crash ${number}`,
          text_content: 'x'.repeat(500),
        },
        { 'idempotency-key': `crash-${number}` },
      );
      if (response.status === 202) accepted.set(recipient, response.body.data[0].id as string);
    };

    for (let round = 0; round < KILLS; round++) {
      const sends = Array.from({ length: MESSAGES_PER_ROUND }, () => sendOne().catch(() => undefined));
      const enough = accepted.size + randomCount();
      await expect.poll(() => accepted.size, { timeout: 30_000, interval: 5 }).toBeGreaterThanOrEqual(enough);
      await new Promise((resolve) => setTimeout(resolve, randomMs()));
      await postmesh.stop('SIGKILL');
      await Promise.all(sends);
      await postmesh.start();
    }
    await Promise.all(Array.from({ length: 20 }, () => sendOne()));
    expect(accepted.size).toBeGreaterThan(100);

    const arrived = async () => {
      const { body } = await postmesh.mailbox('/api/messages?limit=5000');
      return (body.messages as { to: string[] }[]).map(({ to }) => to[0] as string);
    };
    await expect
      .poll(async () => missing(accepted, await arrived()), { timeout: 90_000, interval: 500 })
      .toEqual([]);

    // every duplicate is one whose attempt was cut off: the message itself says so
    const counts = new Map<string, number>();
    for (const recipient of await arrived()) counts.set(recipient, (counts.get(recipient) ?? 0) + 1);
    for (const [recipient, count] of counts) {
      if (count === 1 || !accepted.has(recipient)) continue;
      const id = accepted.get(recipient) as string;
      const { body } = await postmesh.api('GET', `{A}/messages/${encodeURIComponent(id)}`);
      expect(body.num_attempts).toBeGreaterThanOrEqual(count);
    }
    await expect
      .poll(async () => statuses(postmesh, [...accepted.values()]), { timeout: 60_000, interval: 1_000 })
      .toEqual(['Delivered']);
  }, 300_000);
});

function missing(accepted: ReadonlyMap<string, string>, arrived: readonly string[]): string[] {
  const seen = new Set(arrived);
  return [...accepted.keys()].filter((recipient) => !seen.has(recipient));
}

async function statuses(postmesh: Installation, ids: readonly string[]): Promise<string[]> {
  const found = new Set<string>();
  for (const id of ids) {
    const { body } = await postmesh.api('GET', `{A}/messages/${encodeURIComponent(id)}`);
    found.add(body.status as string);
  }
  return [...found];
}
