import { describe, expect, it } from 'vitest';
import { newId } from '@postmesh/contracts';
import type { InternalClient } from '@postmesh/http';
import { DomainOwners } from './domain-owners.js';

const owner = (domain: string) => ({ account_id: newId(), domain_id: newId(), domain });

/** A domains service that answers when the test decides. */
function domainsService() {
  const asked: { domains: string[]; give: (...owners: object[]) => void }[] = [];
  const request = (_: string, { body }: { body: { domains: string[] } }) =>
    new Promise((give) => {
      asked.push({ domains: body.domains, give: (...owners) => give({ owners }) });
    });
  const owners = new DomainOwners({ request } as unknown as InternalClient);
  return { asked, owners, of: (...domains: string[]) => owners.of(domains) };
}

describe('the owners of a domain’s mail', () => {
  it('are queried once for concurrent callers, and cached', async () => {
    const { asked, of } = domainsService();
    const both = Promise.all([of('a.test'), of('a.test')]);
    const a = owner('a.test');
    asked[0]!.give(a);
    const expected = new Map([['a.test', [a]]]);
    expect(await both).toEqual([expected, expected]);
    expect(await of('a.test')).toEqual(expected);
    expect(asked).toHaveLength(1);
  });

  it('are queried for unknown domains only', async () => {
    const { asked, of } = domainsService();
    const first = of('a.test');
    const [a, b, other] = [owner('a.test'), owner('b.test'), owner('b.test')];
    asked[0]!.give(a);
    await first;
    const second = of('a.test', 'b.test', 'c.test');
    asked[1]!.give(b, other);
    expect(asked[1]!.domains).toEqual(['b.test', 'c.test']);
    expect(await second).toEqual(
      new Map([
        ['a.test', [a]],
        ['b.test', [b, other]],
      ]),
    );
  });

  it('are queried each time while there are none', async () => {
    const { asked, of } = domainsService();
    for (const nth of [0, 1]) {
      const found = of('a.test');
      asked[nth]!.give();
      expect(await found).toEqual(new Map());
    }
  });

  it('are not taken from the cache nor from a running query after a change', async () => {
    const { asked, of, owners } = domainsService();
    const first = of('a.test');
    asked[0]!.give(owner('a.test'));
    await first;
    owners.forget(['a.test']);
    const before = of('a.test');
    owners.forget(['a.test']);
    const after = of('a.test');
    const now = owner('a.test');
    asked[2]!.give(now);
    expect(await after).toEqual(new Map([['a.test', [now]]]));
    asked[1]!.give(owner('a.test'));
    await before;
    expect(await of('a.test')).toEqual(new Map([['a.test', [now]]]));
    expect(asked).toHaveLength(3);
  });
});
