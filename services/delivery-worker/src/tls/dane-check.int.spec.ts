import { afterEach, describe, expect, it } from 'vitest';
import type { Answer } from 'dns-packet';
import { NameServer, type Zone } from '../testing/name-server.js';
import { checkDane } from './dane-check.js';
import { readServer } from './validating-resolvers.rules.js';

const servers: NameServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});
const ROOT: Answer[] = [{ type: 'NS', name: '.', ttl: 60, data: 'a.root-servers.net' }];
async function resolver(zone: Zone) {
  const server = await NameServer.start((name, type) =>
    name === '.' && type === 'NS' ? zone(name, type) : [],
  );
  servers.push(server);
  return readServer(server.address);
}

describe('the finding of doctor about DANE', () => {
  it('is yes where every trusted resolver validates', async () => {
    const good = await resolver(() => ({ validated: ROOT }));
    expect(await checkDane([good, good], true)).toMatchObject({
      ok: true,
      detail: expect.stringMatching(/^yes, by 127/),
    });
  });

  it('is no, and no fault, without one, and where one on loopback does not validate', async () => {
    expect(await checkDane([], false)).toMatchObject({
      ok: true,
      detail: expect.stringMatching(/no resolver is trusted/),
    });
    const plain = await resolver(() => ROOT);
    expect(await checkDane([plain], false)).toMatchObject({
      ok: true,
      detail: expect.stringMatching(/^no: .* does not validate DNSSEC/),
    });
  });

  it('is a fault where the operator has named one that does not', async () => {
    const plain = await resolver(() => ROOT);
    const good = await resolver(() => ({ validated: ROOT }));
    const broken = await resolver(() => 'SERVFAIL');
    expect(await checkDane([plain], true)).toMatchObject({ ok: false });
    const both = await checkDane([good, broken], true);
    expect(both).toMatchObject({
      ok: false,
      detail: expect.stringMatching(/^not always: .* gives no answer/),
    });
  });
});
