import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OutgoingHttp } from './outgoing-http.js';
import { AddressPolicy, isRefusedAtSight, readTargetUrl } from './target.rules.js';
import { startNameServer } from './testing/name-server.js';

/** The answers of an attacker's name server. */
const NAMES: Record<string, readonly string[]> = {
  'loopback.evil.test': ['127.0.0.1'],
  'loopback6.evil.test': ['::1'],
  'zero.evil.test': ['0.0.0.0'],
  'private.evil.test': ['10.0.0.1', '192.168.0.1', '172.16.0.1'],
  'metadata.evil.test': ['169.254.169.254'],
  'metadata6.evil.test': ['fd00:ec2::254'],
  'mapped.evil.test': ['::ffff:127.0.0.1'],
  'nat64.evil.test': ['64:ff9b::7f00:1'],
  'teredo.evil.test': ['2001:0:7f00:1::80ff:fffe'],
  'sixtofour.evil.test': ['2002:7f00:1::1'],
  'multicast.evil.test': ['224.0.0.1', 'ff02::1'],
  'xn--lgaa.evil.test': ['127.0.0.1'],
};

/** `PORT` is the canary's, a host on loopback that no URL may reach. */
const HOSTILE = [
  // loopback in its many spellings
  'http://127.0.0.1:PORT/',
  'http://127.1:PORT/',
  'http://127.0.1:PORT/',
  'http://2130706433:PORT/',
  'http://0x7f000001:PORT/',
  'http://0x7f.0x0.0x0.0x1:PORT/',
  'http://0177.0.0.1:PORT/',
  'http://017700000001:PORT/',
  'http://127.0.0.1.:PORT/',
  'http://127.255.255.254:PORT/',
  'http://0:PORT/',
  'http://0.0.0.0:PORT/',
  'http://[::]:PORT/',
  'http://[::1]:PORT/',
  'http://[0:0:0:0:0:0:0:1]:PORT/',
  'http://[::ffff:127.0.0.1]:PORT/',
  'http://[::ffff:7f00:1]:PORT/',
  'http://[::127.0.0.1]:PORT/',
  'http://localhost:PORT/',
  'http://LOCALHOST.:PORT/',
  'http://a.localhost:PORT/',
  // characters of other scripts with the same meaning
  'http://①②⑦.⓪.⓪.①:PORT/',
  'http://127。0。0。1:PORT/',
  'http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ:PORT/',
  'http://locaLhost:PORT/',
  'http://%31%32%37.0.0.1:PORT/',
  // misleading user information
  'http://shop.test@127.0.0.1:PORT/',
  'http://shop.test:80@127.0.0.1:PORT/',
  'http://shop.test%40x@127.0.0.1:PORT/',
  'http://127.0.0.1:PORT\\@shop.test/',
  'http://127.0.0.1:PORT#@shop.test/',
  'http://127.0.0.1:PORT?@shop.test/',
  'http://shop.test\\@127.0.0.1:PORT/',
  // tunnels that carry an IPv4 address
  'http://[64:ff9b::7f00:1]:PORT/',
  'http://[64:ff9b:1::127.0.0.1]:PORT/',
  'http://[2002:7f00:1::1]:PORT/',
  'http://[2001:0:7f00:1::80ff:fffe]:PORT/',
  // private networks, metadata services, unassigned networks
  'http://10.0.0.1/',
  'http://172.16.0.1/',
  'http://192.168.1.1/',
  'http://100.64.0.1/',
  'http://169.254.169.254/latest/meta-data/',
  'http://[fd00:ec2::254]/latest/meta-data/',
  'http://168.63.129.16/',
  'http://100.100.100.200/',
  'http://[fe80::1]/',
  'http://[fc00::1]/',
  'http://224.0.0.1/',
  'http://[ff02::1]/',
  'http://240.0.0.1/',
  'http://255.255.255.255/',
  'http://198.18.0.1/',
  // names that resolve to such addresses
  ...Object.keys(NAMES).map((name) => `http://${name}:PORT/`),
  'http://loopback.evil.test.:PORT/',
  'http://é̈é̈.evil.test:PORT/',
  // ports of services that would read a request as commands
  'http://1.1.1.1:25/',
  'http://1.1.1.1:22/',
  'http://1.1.1.1:465/',
  'http://1.1.1.1:6379/',
  'http://1.1.1.1:11211/',
  // other schemes than HTTP
  'file:///etc/passwd',
  'gopher://127.0.0.1:PORT/_x',
  'ftp://127.0.0.1:PORT/',
  'http:127.0.0.1:PORT',
  '//127.0.0.1:PORT/',
  'http://127.0.0.1:PORT/\r\nhost: shop.test',
  'http://[fe80::1%25eth0]:PORT/',
  'http://127.0.0.1:PORT@',
] as const;

let canary: ReturnType<typeof createServer>;
let port = 0;
let calls = 0;
let http: OutgoingHttp;
const closing: (() => Promise<unknown> | void)[] = [];

beforeAll(async () => {
  canary = createServer((_, response) => {
    calls += 1;
    response.end();
  });
  await new Promise<void>((resolve) => canary.listen(0, '127.0.0.1', resolve));
  port = (canary.address() as AddressInfo).port;
  const names = await startNameServer((name, type) =>
    NAMES[name]?.filter((address) => address.includes(':') === (type === 'AAAA')),
  );
  http = new OutgoingHttp({ allow: [], dnsServers: [names.address], connectionsPerOrigin: 4 });
  closing.push(
    () => http.close(),
    () => names.close(),
  );
});
afterAll(async () => {
  for (const close of closing) await close();
  canary.closeAllConnections();
  canary.close();
});

describe('a hostile URL', () => {
  it('is one of at least sixty', () => expect(HOSTILE.length).toBeGreaterThanOrEqual(60));

  it.each(HOSTILE)('spec 2-messages §18 rule 9: %j is not called', async (text) => {
    const url = readTargetUrl(text.replaceAll('PORT', String(port)));
    if (url === undefined) return;
    const response = await http.post({
      url,
      headers: {},
      body: Buffer.from('{}'),
      timeoutMs: 5_000,
      maxResponseBytes: 1_000,
      keptResponseBytes: 0,
    });
    expect(response).toMatchObject({ kind: 'failed' });
    expect(response.kind === 'failed' && response.trouble).toMatch(/^(address-refused|name-not-resolved)$/);
    expect(calls).toBe(0);
  });

  it('spec 2-messages §18 rule 9: with a literal address or a bad port is refused without a look-up', () => {
    const policy = new AddressPolicy([]);
    const literal = HOSTILE.filter((text) => !text.includes('evil.test') && !text.includes('shop.test'));
    const found = literal.map((text) => readTargetUrl(text.replaceAll('PORT', '8080')));
    expect(found.filter((url) => url && !isRefusedAtSight(url, policy))).toEqual([]);
  });
});
