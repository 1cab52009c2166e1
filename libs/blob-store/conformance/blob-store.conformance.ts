import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BlobMissing, placeOf, type BlobStore, type Content } from '../src/blob-store.port.js';

/** How a driver is opened; a second store has the view of another process. */
export interface BlobStoreWorld {
  open(): Promise<BlobStore>;
}

const MIB = 1024 * 1024;
const content = (size: number): Content => ({ id: randomUUID(), bytes: randomBytes(size) });
const idsOf = (contents: readonly Content[]) => contents.map(({ id }) => id);
/** a UUIDv7 of this time */
const uuidOf = (ms: number) => `${placeOf(new Date(ms)).slice(0, 14)}7${randomUUID().slice(15)}`;
const hashOf = (bytes: Buffer | undefined) => bytes && createHash('sha256').update(bytes).digest('hex');

/** The guarantees of every driver of the port. */
export function describeBlobStore(name: string, world: BlobStoreWorld): void {
  describe(`blob store conformance: ${name}`, () => {
    let store: BlobStore;
    beforeEach(async () => {
      store = await world.open();
    });
    afterEach(() => store.close());

    describe('put and get', () => {
      it('returns the stored content, also to another process', async () => {
        const contents = [content(10), content(10_000)];
        await store.put(contents);
        const other = await world.open();
        const found = await other.get(idsOf(contents));
        await other.close();
        expect(found).toEqual(new Map(contents.map(({ id, bytes }) => [id, bytes])));
      });

      it.each([0, 1, 2_000, 256 * 1024, 256 * 1024 + 1, 512 * 1024, 512 * 1024 + 1, 5 * MIB])(
        'keeps %i bytes as they are',
        async (size) => {
          const one = content(size);
          await store.put([one]);
          const found = (await store.get([one.id])).get(one.id);
          expect(found).toHaveLength(size);
          expect(hashOf(found)).toBe(hashOf(one.bytes));
        },
      );

      it('keeps every byte value and text that looks like an escape', async () => {
        const all = { id: randomUUID(), bytes: Buffer.from(Array.from({ length: 256 }, (_, n) => n)) };
        const text = { id: randomUUID(), bytes: Buffer.from('\\x41\\\\000 {"a":null}\r\n.\r\n\u0000') };
        await store.put([all, text]);
        const found = await store.get([all.id, text.id]);
        expect(found.get(all.id)).toEqual(all.bytes);
        expect(found.get(text.id)).toEqual(text.bytes);
      });

      it('puts and gets many at once, small and large mixed', async () => {
        const contents = Array.from({ length: 1_100 }, (_, n) => content(n % 300 === 7 ? 3 * MIB : n));
        await store.put(contents);
        const found = await store.get(idsOf(contents));
        expect(found.size).toBe(contents.length);
        for (const { id, bytes } of contents) expect(hashOf(found.get(id))).toBe(hashOf(bytes));
      });

      it('puts from several callers at once', async () => {
        const groups = Array.from({ length: 12 }, () => Array.from({ length: 20 }, () => content(3_000)));
        await Promise.all(groups.map((group) => store.put(group)));
        expect((await store.get(groups.flatMap(idsOf))).size).toBe(240);
      });

      it('takes a view into a larger buffer for its own bytes only', async () => {
        const id = randomUUID();
        await store.put([{ id, bytes: Buffer.from('--inside--').subarray(2, 8) }]);
        expect((await store.get([id])).get(id)?.toString()).toBe('inside');
      });

      it('may put the same content again, and twice in one call', async () => {
        const one = content(500);
        await store.put([one, one]);
        await store.put([one]);
        expect((await store.get([one.id])).get(one.id)).toEqual(one.bytes);
      });

      it('does not remember bytes that the caller changes after the put', async () => {
        const one = content(100);
        const before = Buffer.from(one.bytes);
        await store.put([one]);
        one.bytes.fill(0);
        expect((await store.get([one.id])).get(one.id)).toEqual(before);
      });

      it('leaves out missing ids, and takes an id twice', async () => {
        const one = content(5);
        await store.put([one]);
        const found = await store.get([randomUUID(), one.id, one.id]);
        expect([...found.keys()]).toEqual([one.id]);
      });

      it('does nothing for nothing', async () => {
        await store.put([]);
        await store.delete([]);
        expect(await store.get([])).toEqual(new Map());
      });
    });

    describe('stream', () => {
      it('gives 20 MiB in slices of at most 1 MiB', async () => {
        const one = content(20 * MIB);
        await store.put([one]);
        const hash = createHash('sha256');
        let largest = 0;
        for await (const slice of store.stream(one.id)) {
          const bytes: Buffer = slice;
          largest = Math.max(largest, bytes.length);
          hash.update(bytes);
        }
        expect(hash.digest('hex')).toBe(hashOf(one.bytes));
        expect(largest).toBeLessThanOrEqual(MIB);
      });

      it.each([1, 5, 256 * 1024, 512 * 1024, 512 * 1024 + 1, 2 * MIB - 1, 2 * MIB, 3 * MIB])(
        'begins at byte %i of 2 MiB',
        async (from) => {
          const one = content(2 * MIB);
          await store.put([one]);
          const rest = await buffer(store.stream(one.id, from));
          expect(hashOf(rest)).toBe(hashOf(one.bytes.subarray(from)));
          await expect(buffer(store.stream(randomUUID(), from))).rejects.toBeInstanceOf(BlobMissing);
        },
      );

      it('gives empty content as an empty stream', async () => {
        const one = content(0);
        await store.put([one]);
        expect(await buffer(store.stream(one.id))).toHaveLength(0);
      });

      it('fails with BlobMissing when there is nothing', async () => {
        const id = randomUUID();
        await expect(buffer(store.stream(id))).rejects.toBeInstanceOf(BlobMissing);
      });

      it('may be left in the middle', async () => {
        const one = content(4 * MIB);
        await store.put([one]);
        for await (const _ of store.stream(one.id)) break;
        expect(hashOf(await buffer(store.stream(one.id)))).toBe(hashOf(one.bytes));
      });
    });

    describe('delete', () => {
      it('removes the given ids and nothing else; missing ids are ignored', async () => {
        const [gone, kept] = [content(10), content(3 * MIB)];
        await store.put([gone, kept]);
        await store.delete([gone.id, randomUUID(), gone.id]);
        expect([...(await store.get([gone.id, kept.id])).keys()]).toEqual([kept.id]);
        await store.delete([kept.id]);
        await expect(buffer(store.stream(kept.id))).rejects.toBeInstanceOf(BlobMissing);
      });
    });

    describe('ids of a span', () => {
      it('are those of UUIDv7 with a time in it, in slices', async () => {
        // a time that no other test of this store has
        const from = new Date(Math.floor(Math.random() * 1e12));
        const at = (ms: number) => ({
          id: uuidOf(from.getTime() + ms),
          bytes: Buffer.from('x'),
        });
        const inside = [at(0), at(1), ...Array.from({ length: 1_100 }, () => at(5)), at(999)];
        const other = { ...at(7), id: at(7).id.replace(/^(.{14})7/, '$14') };
        await store.put([at(-1), ...inside, at(1_000), at(100_000), other]);
        const found: string[] = [];
        for await (const ids of store.idsOf({ from, to: new Date(from.getTime() + 1_000) })) {
          expect(ids.length).toBeLessThanOrEqual(1_000);
          found.push(...ids);
        }
        expect(found.toSorted()).toEqual(idsOf(inside).toSorted());
      });

      it('are none where nothing is', async () => {
        for await (const ids of store.idsOf({ from: new Date(1), to: new Date(2) })) expect(ids).toEqual([]);
      });
    });

    describe('ids', () => {
      it.each([
        '',
        'x',
        '../../etc/passwd',
        randomUUID().toUpperCase(),
        `${randomUUID()}\n`,
        `${randomUUID()}/..`,
      ])('%j is refused everywhere', async (id) => {
        await expect(store.put([{ id, bytes: Buffer.from('x') }])).rejects.toThrow(TypeError);
        await expect(store.get([id])).rejects.toThrow(TypeError);
        await expect(store.delete([id])).rejects.toThrow(TypeError);
        expect(() => store.stream(id)).toThrow(TypeError);
      });
    });

    describe('life', () => {
      it('is ready when it is open, not after close; closing twice is harmless', async () => {
        const other = await world.open();
        expect(await other.ready()).toBe(true);
        await other.close();
        await other.close();
        expect(await other.ready()).toBe(false);
        await expect(other.put([content(1)])).rejects.toThrow();
        await expect(other.get([randomUUID()])).rejects.toThrow();
      });

      it('opens several times at once', async () => {
        const stores = await Promise.all([world.open(), world.open(), world.open()]);
        await Promise.all(stores.map((one) => one.put([content(10)])));
        await Promise.all(stores.map((one) => one.close()));
      });
    });
  });
}
