import { generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { BlobStore } from '@postmesh/blob-store';
import { newId } from '@postmesh/contracts';
import { parseSigningKey } from '@postmesh/mail-format';
import { writeRequestContent } from '@postmesh/message-content';
import type { ClaimedDelivery } from '../queue/deliveries.table.js';
import { PreparedMessages } from './prepared-messages.js';
import type { SigningDirectory } from './signing-directory.js';

const KEY = parseSigningKey(
  generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
);
const DOMAIN_ID = newId();

/** Contents and keys in memory, and how often they were asked for. */
class Sources {
  readonly contents = new Map<string, Buffer>();
  readonly reads: string[][] = [];
  signer: object | undefined = { domain: 'shop.test', selector: 'pm1', key: KEY };
  broken: Error | undefined;
  readonly messages = new PreparedMessages(
    { find: async () => this.signer } as unknown as SigningDirectory,
    { get: async (ids: string[]) => this.read(ids) } as unknown as BlobStore,
  );

  delivery(text = 'hello', change: Partial<ClaimedDelivery> = {}): ClaimedDelivery {
    const [id, contentId] = [newId(), newId()];
    const bytes = writeRequestContent({
      from: { email: 'news@shop.test' },
      to: [{ email: 'ann@mail.test' }],
      subject: 'x',
      messageId: `<${id}@shop.test>`,
      date: new Date(0),
      text,
    });
    this.contents.set(contentId, bytes);
    const about = { id, sendRequestId: id, contentId, domainId: DOMAIN_ID, domain: 'shop.test' };
    return { ...about, accountId: newId(), ...change } as ClaimedDelivery;
  }

  private read(ids: string[]): Map<string, Buffer> {
    this.reads.push(ids);
    if (this.broken) throw this.broken;
    return new Map(ids.flatMap((id) => (this.contents.has(id) ? [[id, this.contents.get(id)!]] : [])));
  }
}

let sources: Sources;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
  sources = new Sources();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a prepared message', () => {
  it('is made once for all recipients of a request', async () => {
    const delivery = sources.delivery();
    const other = { ...delivery, id: newId(), recipient: 'bob@mail.test' };
    const [one, two] = await Promise.all([
      sources.messages.prepare(delivery),
      sources.messages.prepare(other),
    ]);
    expect(one).toBe(two);
    expect(await sources.messages.prepare(delivery)).toBe(one);
    expect(sources.reads).toHaveLength(1);
    expect(one.size).toBe(one.chunks.reduce((sum, chunk) => sum + chunk.length, 0));
    expect(Buffer.concat(one.chunks).toString()).toMatch(/^DKIM-Signature: [^]+\r\nFeedback-ID: [^]+hello/);
  });

  it('is not kept when it has no other recipient', async () => {
    const delivery = { ...sources.delivery(), recipients: 1 };
    const first = await sources.messages.prepare(delivery);
    expect(await sources.messages.prepare(delivery)).not.toBe(first);
    expect(sources.reads).toHaveLength(2);
  });

  it('is not kept when its domain changed while it was made', async () => {
    const delivery = sources.delivery();
    const made = sources.messages.prepare(delivery);
    sources.messages.forgetDomain(DOMAIN_ID);
    const again = sources.messages.prepare(delivery);
    expect(await again).not.toBe(await made);
    expect(sources.reads.flat()).toHaveLength(1);
  });

  it('is read together with what others want at the same moment', async () => {
    const wanted = Array.from({ length: 20 }, () => sources.delivery());
    await Promise.all(wanted.map((delivery) => sources.messages.prepare(delivery)));
    expect(sources.reads).toEqual([wanted.map(({ contentId }) => contentId)]);
  });

  it('is signed anew for a retry', async () => {
    const delivery = sources.delivery();
    const first = await sources.messages.prepare(delivery);
    vi.setSystemTime(Date.now() + 31_000);
    const second = await sources.messages.prepare(delivery);
    expect(second).not.toBe(first);
    const timeOf = ({ chunks }: typeof first) => / t=(\d+);/.exec(Buffer.concat(chunks).toString())?.[1];
    expect(Number(timeOf(second)) - Number(timeOf(first))).toBe(31);
  });

  it('is forgotten when its domain changes, others are not', async () => {
    const [own, other] = [sources.delivery(), sources.delivery('x', { domainId: newId() })];
    await Promise.all([sources.messages.prepare(own), sources.messages.prepare(other)]);
    sources.messages.forgetDomain(DOMAIN_ID);
    sources.signer = undefined;
    await expect(sources.messages.prepare(own)).rejects.toThrow('the sending domain shop.test was deleted');
    await expect(sources.messages.prepare(other)).resolves.toBeDefined();
  });

  it('that could not be made is tried anew', async () => {
    const delivery = sources.delivery();
    sources.broken = new Error('away');
    await expect(sources.messages.prepare(delivery)).rejects.toThrow('away');
    sources.broken = undefined;
    await expect(sources.messages.prepare(delivery)).resolves.toBeDefined();
  });

  it('stays at hand as long as all together take 64 MiB at most', async () => {
    const MIB = 1024 * 1024;
    const deliveries = Array.from({ length: 10 }, () => sources.delivery('x'.repeat(8 * MIB)));
    for (const delivery of deliveries) await sources.messages.prepare(delivery);
    const before = sources.reads.length;
    for (const delivery of deliveries.slice(-6)) await sources.messages.prepare(delivery);
    expect(sources.reads.length).toBe(before);
    await sources.messages.prepare(deliveries[0]!);
    expect(sources.reads.length).toBe(before + 1);
    // one that was pushed out while it was made is not weighed for ever
    const made = deliveries.map((delivery) => sources.messages.prepare(delivery));
    sources.messages.forgetDomain(DOMAIN_ID);
    await Promise.all(made);
    const small = sources.delivery();
    const kept = await sources.messages.prepare(small);
    expect(await sources.messages.prepare(small)).toBe(kept);
  });
});
