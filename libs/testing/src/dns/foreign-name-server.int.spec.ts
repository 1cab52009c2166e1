import { Resolver } from 'node:dns/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { knotServer, startForeignNameServer, type ForeignNameServer } from './foreign-name-server.js';

const knot = knotServer();
const tsig = {
  name: 'writer.test.',
  algorithm: 'hmac-sha256',
  secret: Buffer.from('a secret of a test').toString('base64'),
} as const;

describe.runIf(knot !== undefined)('a name server that is not ours', () => {
  let server: ForeignNameServer;
  const resolver = new Resolver({ timeout: 2_000, tries: 1 });

  beforeAll(async () => {
    const zones = { 'shop.example': '@ TXT "v=spf1 -all"', 'svc.example': 'a TXT "x"' };
    server = await startForeignNameServer(knot as string, { zones, tsig });
    resolver.setServers([server.address]);
  });
  afterAll(() => server?.stop());

  it('serves its zones', async () => {
    expect(await resolver.resolveTxt('shop.example')).toEqual([['v=spf1 -all']]);
    expect(await resolver.resolveTxt('a.svc.example')).toEqual([['x']]);
    await expect(resolver.resolveTxt('b.svc.example')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });

  it('serves a replaced zone', async () => {
    await server.setZone('shop.example', '@ TXT "one" "two"\nwww CNAME a.svc.example.');
    expect(await resolver.resolveTxt('shop.example')).toEqual([['one', 'two']]);
    expect(await resolver.resolveCname('www.shop.example')).toEqual(['a.svc.example']);
  });
});
