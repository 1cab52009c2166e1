import { describe, expect, it } from 'vitest';
import { newId } from '@postmesh/contracts';
import { freshWorlds, sharedWorld } from '../testing/fresh-world.js';
import { ScriptedServer, type Manners } from '../testing/scripted-server.js';
import { signingKey } from '../testing/worker-under-test.js';

const MIB = 1024 * 1024;
const world = freshWorlds();
const DELETED = newId();
/** With memory for one large message at a time. */
const shared = sharedWorld(({ start }) =>
  start({
    settings: { largeBytes: MIB },
    domains: (id) => (id === DELETED ? { status: 404, body: {} } : signingKey(id)),
  }),
);

// of any size
const takesAll: Manners = { reply: (line) => (line.startsWith('EHLO') ? '250 mx.test' : undefined) };
const text = `${'lorem ipsum '.repeat(6)}\n`.repeat(22_000);

describe('large messages', () => {
  it('of an account that sends to silent servers leave room for that of another', async () => {
    const { host, start, closing } = await world();
    host.manners = takesAll;
    const silent = await ScriptedServer.start(() => undefined, { address: '127.0.0.2', port: host.port });
    const worker = await start({ settings: { largeBytes: 2 * MIB } });
    // closed before the worker, whose stop would wait for its replies
    closing.push(() => silent.stop());
    const to = ['a', 'b', 'c'].map((label) => `ann@${label}-on-2.test`);
    for (const address of to) await worker.accept({ to: [address], text });
    await expect.poll(() => silent.peers.length).toBe(3);
    const [id] = await worker.accept({ accountId: newId(), text });
    expect(await worker.outcome(id!, 'delivered')).toMatchObject({ attempt: 1 });
    expect(host.messages[0]!.text.length).toBeGreaterThan(1.5 * MIB);
    expect(worker.published).toHaveLength(1);
  });

  it('go one after another where there is room for one, and all arrive', async () => {
    const { host, worker } = shared;
    host.manners = takesAll;
    const ids = await worker.accept({ to: ['a@one.test', 'b@two.test', 'c@three.test'], text });
    for (const id of ids) await worker.outcome(id, 'delivered');
    expect(host.recipients.sort()).toEqual(['a@one.test', 'b@two.test', 'c@three.test']);
  });

  it('that cannot be made fail as small ones do', async () => {
    const { host, worker } = shared;
    const [id] = await worker.accept({ contentGone: true, size: 2 * MIB });
    expect(await worker.outcome(id!, 'failed')).toMatchObject({
      ...{ attempt: 0, classification: 'Uncategorized' },
      reply: { smtp_code: 0, response: 'the content of the message is gone' },
    });
    expect(host.messages).toEqual([]);
  });

  it('whose domain was deleted fail without a connection', async () => {
    const { host, worker } = shared;
    const [id] = await worker.accept({ text, domainId: DELETED });
    expect(await worker.outcome(id!, 'failed')).toMatchObject({
      reply: { response: 'the sending domain shop.test was deleted' },
    });
    expect(host.messages).toEqual([]);
  });

  it('in the sandbox are made and go nowhere', async () => {
    const { host, worker } = shared;
    const [id] = await worker.accept({ sandbox: 'deliver', text });
    expect(await worker.outcome(id!, 'delivered')).toMatchObject({ sandbox: true });
    const [gone] = await worker.accept({ sandbox: 'deliver', contentGone: true, size: 2 * MIB });
    expect(await worker.outcome(gone!, 'failed')).toMatchObject({
      reply: { response: 'the content of the message is gone' },
    });
    expect(host.messages).toEqual([]);
  });
});
