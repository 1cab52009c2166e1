import { expect, it } from 'vitest';
import { newId } from '@postmesh/contracts';
import { freshWorlds } from '../testing/fresh-world.js';
import { MailHost } from '../testing/mail-host.js';

const world = freshWorlds();

it('500 messages by two workers: each is one transaction, and is published once', async () => {
  const { host, start } = await world();
  const [one] = await Promise.all([start(), start()]);
  const recipients = Array.from({ length: 500 }, (_, nth) => `r${nth}@d${nth % 25}.test`);
  const messages = await Promise.all(recipients.map((email) => one.message({ to: [email] })));
  for (let at = 0; at < messages.length; at += 200) await one.bus.publish(messages.slice(at, at + 200));
  await one.until(() => one.published.length >= 500);
  expect(host.recipients.sort()).toEqual([...recipients].sort());
  expect(one.published.every(({ outcome, attempt }) => outcome === 'delivered' && attempt === 1)).toBe(true);
  expect(new Set(one.published.map(({ message_id }) => message_id)).size).toBe(500);
  expect(await one.deliveries()).toEqual([]);
  expect(one.published).toHaveLength(500);
});

it('a slow destination with a backlog holds no other mail up', async () => {
  const { host, start, closing } = await world();
  let answer: (() => void) | undefined;
  const answered = new Promise<undefined>((resolve) => (answer = () => resolve(undefined)));
  const slow = await MailHost.start({ accept: () => answered }, { address: '127.0.0.2', port: host.port });
  closing.push(() => slow.stop());
  const worker = await start({ settings: { deliveryConcurrency: 30, deliveryPerDestination: 4 } });
  const accept = async (count: number, domain: string) => {
    const messages = Array.from({ length: count }, () => worker.message({ to: [`${newId()}@${domain}`] }));
    await worker.bus.publish(await Promise.all(messages));
  };
  await accept(400, 'on-2.test');
  await slow.waitFor(4);
  for (let nth = 0; nth < 20; nth++) await accept(10, `quick${nth}.test`);
  await host.waitFor(200);
  await worker.until(
    () => worker.published.filter(({ recipient }) => recipient.includes('@quick')).length >= 200,
  );
  // the messages of its four connections, and nothing of its backlog
  expect(slow.messages).toHaveLength(4);
  answer?.();
});
