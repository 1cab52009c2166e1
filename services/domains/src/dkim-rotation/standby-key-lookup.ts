import { Inject, Injectable } from '@nestjs/common';
import { otherSlot, type SendingDomain } from '../database/entities.js';
import { judgeDkimKey } from '../dns/dkim-key.rules.js';
import { dkimAlias, type RecordsContext } from '../dns/dns-records.rules.js';
import { DNS_RESOLVER, type DnsResolver } from '../dns/dns-resolver.port.js';
import type { Verdict } from '../dns/judgement.js';
import { AliasPublication } from '../managed-zone/alias-publication.js';
import type { StandbySight } from './dkim-rotation.rules.js';

interface ResolverSight {
  resolver: string;
  alias: Verdict;
  host: Verdict;
}

/** Whether the standby key is visible: every configured resolver is queried for our alias and the owner's record. */
@Injectable()
export class StandbyKeyLookup {
  constructor(
    @Inject(DNS_RESOLVER) private readonly resolver: DnsResolver,
    private readonly aliases: AliasPublication,
  ) {}

  /** @returns the result without its time */
  async lookUp(
    domain: SendingDomain,
    host: string,
    { hosts }: RecordsContext,
  ): Promise<Omit<StandbySight, 'at'>> {
    const slot = otherSlot(domain.activeSlot);
    const key = domain.publicKeys[slot] ?? '';
    const unpublished = await this.aliases.waitsBecause(domain.id, slot);
    if (unpublished !== undefined) return { key, host, seen: 'alias-missing', detail: unpublished };
    const alias = dkimAlias(domain.domainToken, slot, hosts);
    const answers = await this.resolver.eachResolver(async (dns) => {
      const [atAlias, atHost] = await Promise.all([dns.txt(alias), dns.txt(host)]);
      return { alias: judgeDkimKey(atAlias, key).verdict, host: judgeDkimKey(atHost, key).verdict };
    });
    const sight = sightOf(answers.map(({ resolver, answer }) => ({ resolver, ...answer })));
    if (sight.seen === 'alias-missing') await this.aliases.writeAgain(domain.id, slot);
    return { key, host, ...sight };
  }
}

/** The worst of their answers; `unknown` without a resolver. */
export function sightOf(sights: readonly ResolverSight[]): Pick<StandbySight, 'seen' | 'detail'> {
  const by = (isBad: (sight: ResolverSight) => boolean) =>
    sights.flatMap((sight) => (isBad(sight) ? [sight.resolver] : [])).join(', ');
  const withoutAlias = by(({ alias }) => alias === 'fail');
  if (withoutAlias !== '') return { seen: 'alias-missing', detail: `not at our alias by ${withoutAlias}` };
  const withoutHost = by(({ host }) => host === 'fail');
  if (withoutHost !== '') return { seen: 'host-missing', detail: `not by ${withoutHost}` };
  const silent = by(({ alias, host }) => alias === 'unknown' || host === 'unknown');
  if (silent !== '' || sights.length === 0)
    return { seen: 'unknown', detail: `no answer from ${silent || 'any'}` };
  return { seen: 'everywhere', detail: '' };
}
