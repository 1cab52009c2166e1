import { EventEmitter, once } from 'node:events';
import { generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { BlobStore } from '@postmesh/blob-store';
import { newId } from '@postmesh/contracts';
import { parseSigningKey } from '@postmesh/mail-format';
import {
  RecipientMessages,
  writeRequestContent,
  type PartsRenderer,
  type RequestContent,
} from '@postmesh/message-content';
import type { ClaimedDelivery } from '../queue/deliveries.table.js';
import { PreparedMessages } from './prepared-messages.js';
import type { SigningDirectory } from './signing-directory.js';

const KEY = parseSigningKey(
  generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
);
const DOMAIN_ID = newId();

const SETTINGS = {
  secretKeys: ['a secret of thirty-two characters'],
  serviceZone: 'mail.test',
  httpPort: 8080,
  linkHosts: 'domains' as const,
};

/** Prints the values behind the source, so that a test sees their owner. */
const renderer = {
  jobs: [] as string[],
  render: async ({ key, parts, values }: Parameters<PartsRenderer['render']>[0]) => {
    renderer.jobs.push(key);
    return values.map((each) => ({
      ok: true as const,
      texts: parts.map(({ source }) => `${source} ${JSON.stringify(each)}`),
    }));
  },
};

/** Contents and keys in memory, with the number of their reads. */
class Sources {
  readonly contents = new Map<string, Buffer>();
  readonly reads: string[][] = [];
  signer: object | undefined = { domain: 'shop.test', selector: 'pm1', key: KEY, trackingHost: null };
  broken: Error | undefined;
  private readonly asked = new EventEmitter();
  readonly messages = new PreparedMessages(
    { find: async () => this.findSigner() } as unknown as SigningDirectory,
    new RecipientMessages(renderer, SETTINGS),
    { get: async (ids: string[]) => this.read(ids) } as unknown as BlobStore,
  );

  delivery(text = 'hello', change: Partial<ClaimedDelivery> = {}): ClaimedDelivery {
    const id = newId();
    const shared = { to: [{ email: 'ann@mail.test' }], messageId: `<${id}@shop.test>` };
    return this.deliveryOf({ ...shared, text }, { id, ...change });
  }

  deliveryOf(content: Partial<RequestContent>, change: Partial<ClaimedDelivery> = {}): ClaimedDelivery {
    const [id, contentId] = [change.id ?? newId(), newId()];
    const from = { email: 'news@shop.test' };
    this.contents.set(contentId, writeRequestContent({ from, subject: 'x', date: new Date(0), ...content }));
    const about = { id, sendRequestId: id, contentId, domainId: DOMAIN_ID, domain: 'shop.test' };
    return { ...about, accountId: newId(), recipient: 'ann@mail.test', ...change } as ClaimedDelivery;
  }

  signerIsAsked(): Promise<unknown> {
    return once(this.asked, 'signer');
  }

  private findSigner(): object | undefined {
    this.asked.emit('signer');
    return this.signer;
  }

  private read(ids: string[]): Map<string, Buffer> {
    this.reads.push(ids);
    if (this.broken) throw this.broken;
    return new Map(ids.flatMap((id) => (this.contents.has(id) ? [[id, this.contents.get(id)!]] : [])));
  }
}

const textOf = ({ chunks }: { chunks: readonly Buffer[] }) => Buffer.concat(chunks).toString();

let sources: Sources;
beforeEach(() => {
  renderer.jobs = [];
  vi.useFakeTimers({ toFake: ['Date'] });
  sources = new Sources();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a prepared message', () => {
  it('spec 2-messages §1.5: is another one for recipients who are reached with SMTPUTF8', async () => {
    const to = [{ email: 'ann@mail.test' }, { email: 'jürgen@mail.test' }];
    const delivery = sources.deliveryOf({ to, messageId: '<1@shop.test>', text: 'hello' });
    const prepared = await Promise.all(
      to.map(({ email }) =>
        sources.messages.prepare({ ...delivery, id: newId(), recipient: email, recipients: 2 }),
      ),
    );
    expect(prepared.map(({ smtpUtf8 }) => smtpUtf8)).toEqual([false, true]);
    expect(textOf(prepared[0]!)).not.toContain('jürgen');
    expect(textOf(prepared[1]!)).toContain('To: ann@mail.test, jürgen@mail.test');
  });

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
    expect(textOf(one)).toMatch(
      /^DKIM-Signature: [^]+cfbl-address[^]+\r\nFeedback-ID: [^]+\r\nCFBL-Address: fbl\+[^]+hello/,
    );
  });

  it('is not kept when it has no other recipient', async () => {
    const delivery = { ...sources.delivery(), recipients: 1 };
    const first = await sources.messages.prepare(delivery);
    expect(await sources.messages.prepare(delivery)).not.toBe(first);
    expect(sources.reads).toHaveLength(2);
  });

  it('is not kept when its domain changed while it was made', async () => {
    const delivery = sources.delivery();
    const asked = sources.signerIsAsked();
    const made = sources.messages.prepare(delivery);
    await asked;
    sources.messages.forgetDomain(DOMAIN_ID);
    const again = sources.messages.prepare(delivery);
    expect(await again).not.toBe(await made);
    expect(await sources.messages.prepare(delivery)).toBe(await again);
    expect(sources.reads.flat()).toHaveLength(1);
  });

  it('is read together with other requests of the same moment', async () => {
    const wanted = Array.from({ length: 20 }, () => sources.delivery());
    await Promise.all(wanted.map((delivery) => sources.messages.prepare(delivery)));
    expect(sources.reads).toEqual([wanted.map(({ contentId }) => contentId)]);
  });

  it('is signed again for a retry', async () => {
    const delivery = sources.delivery();
    const first = await sources.messages.prepare(delivery);
    vi.setSystemTime(Date.now() + 31_000);
    const second = await sources.messages.prepare(delivery);
    expect(second).not.toBe(first);
    const timeOf = (message: typeof first) => / t=(\d+);/.exec(textOf(message))?.[1];
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

  it('that could not be composed is tried again', async () => {
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
    // an entry that was pushed out while it was made does not keep its weight
    const made = deliveries.map((delivery) => sources.messages.prepare(delivery));
    sources.messages.forgetDomain(DOMAIN_ID);
    await Promise.all(made);
    const small = sources.delivery();
    const kept = await sources.messages.prepare(small);
    expect(await sources.messages.prepare(small)).toBe(kept);
  });
});

describe('messages of one request that differ', () => {
  const others = (first: ClaimedDelivery, change: Partial<ClaimedDelivery> = {}) => {
    const own = { recipients: 2, ...change };
    return [
      { ...first, ...own },
      { ...first, ...own, id: newId(), recipient: 'bob@mail.test' },
    ] as [ClaimedDelivery, ClaimedDelivery];
  };
  const bodyOf = (message: { chunks: readonly Buffer[] }) =>
    textOf(message).split('\r\n\r\n').slice(1).join();

  it('read and parse the content once; To and Message-ID are those of each', async () => {
    const [ann, bob] = others(sources.deliveryOf({ html: '<p>Hi</p>', text: 'Hi' }));
    const [one, two] = [await sources.messages.prepare(ann), await sources.messages.prepare(bob)];
    expect(sources.reads).toHaveLength(1);
    expect(textOf(one)).toContain('\r\nTo: ann@mail.test\r\n');
    expect(textOf(two)).toContain('\r\nTo: bob@mail.test\r\n');
    expect(textOf(two)).toContain(`\r\nMessage-ID: <${bob.id}@shop.test>\r\n`);
    // the body is the same, and was encoded and hashed once
    expect(bodyOf(one)).toBe(bodyOf(two));
    expect(one.chunks.at(-1)).toBe(two.chunks.at(-1));
    expect(/bh=(\S+);/.exec(textOf(one))![1]).toBe(/bh=(\S+);/.exec(textOf(two))![1]);
  });

  it('are rendered with the values of each, those of the request below', async () => {
    const first = sources.deliveryOf({});
    const [ann, bob] = others(first);
    const recipients = { [ann.id]: { name: 'Ann', values: { n: 1 } }, [bob.id]: { values: { n: 2 } } };
    const from = { email: 'news@shop.test' };
    const rendering = { escapeHtml: false, values: { n: 0, m: 3 } };
    const content = { from, subject: 's', date: new Date(0), text: 'Hi {{ n }}', rendering, recipients };
    sources.contents.set(first.contentId, writeRequestContent(content));
    const [one, two] = [await sources.messages.prepare(ann), await sources.messages.prepare(bob)];
    expect(textOf(one)).toContain('\r\nTo: Ann <ann@mail.test>\r\n');
    expect(bodyOf(one)).toBe('Hi {{ n }} {"n":1,"m":3}\r\n');
    expect(bodyOf(two)).toBe('Hi {{ n }} {"n":2,"m":3}\r\n');
    expect(renderer.jobs).toEqual([ann.accountId, ann.accountId]);
  });

  it('have pixel and links of their own, also in a conversation', async () => {
    const html = '<body><a href="https://shop.test/">x</a></body>';
    const id = newId();
    const shared = { to: [{ email: 'all@mail.test' }], messageId: `<${id}@shop.test>`, html };
    const tracking = { open: true, click: true };
    const [ann, bob] = others(sources.deliveryOf(shared, { id }), { tracking });
    sources.signer = { ...sources.signer, trackingHost: 'track.shop.test' };
    const [one, two] = [await sources.messages.prepare(ann), await sources.messages.prepare(bob)];
    const linksOf = (message: typeof one) =>
      bodyOf(message)
        .replaceAll('=\r\n', '')
        .match(/https:\/\/track\.shop\.test\/[oc]\/[\w-]+/g);
    expect(linksOf(one)).toHaveLength(2);
    expect(linksOf(one)).not.toEqual(linksOf(two));
    // all recipients get the same header fields
    expect(textOf(two)).toContain('\r\nTo: all@mail.test\r\n');
    expect(textOf(two)).toContain(`\r\nMessage-ID: <${id}@shop.test>\r\n`);
  });

  it('are the same at every retry, but for the signature', async () => {
    const [, bob] = others(sources.deliveryOf({ html: '<a href="https://shop.test/">x</a>' }), {
      tracking: { open: true, click: true },
    });
    const unsigned = (message: { chunks: readonly Buffer[] }) => textOf({ chunks: message.chunks.slice(1) });
    const first = await sources.messages.prepare(bob);
    vi.setSystemTime(Date.now() + 3_600_000);
    const again = await sources.messages.prepare(bob);
    expect(unsigned(again)).toBe(unsigned(first));
    expect(textOf(again)).not.toBe(textOf(first));
    // the content is not cached for the hour in between
    expect(sources.reads).toHaveLength(2);
  });
});
