import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { SingleFlight } from '@postmesh/concurrency';
import type { AccountId } from '@postmesh/contracts';
import type { DoctorFigures, DomainDoctor } from '@postmesh/domains-contract';
import { AccountSettingsStore } from '../domain-store/account-settings.js';
import { SendingDomains } from '../domain-store/sending-domains.repository.js';
import { DomainErrors } from '../sending-domains/domain-errors.js';
import { LookAround, type SeenAddresses, type SeenDomain } from './look-around.js';
import { diagnose, type Seen } from './diagnosis.rules.js';

interface ExamineDomainCommand {
  accountId: AccountId;
  /** normalised */
  domain: string;
  /** undefined: they could not be read */
  figures: DoctorFigures | undefined;
}

/** Results of look-ups are used for this time: a page that is opened twice asks no name server twice. */
const KEPT_MS = 10 * 60_000;
const MAX_KEPT = 2_000;

const ADDRESSES = 'addresses';

/** The doctor of a domain. */
@Injectable()
export class ExamineDomain {
  private readonly domainsSeen = new Memory<SeenDomain>();
  private readonly addressesSeen = new Memory<SeenAddresses>();

  constructor(
    private readonly domains: SendingDomains,
    private readonly accounts: AccountSettingsStore,
    private readonly around: LookAround,
  ) {}

  /** @throws ApiError 404 */
  async execute({ accountId, domain: name, figures }: ExamineDomainCommand): Promise<DomainDoctor> {
    const domain = await this.domains.find(accountId, name);
    if (!domain) throw DomainErrors.notFound();
    const account = await this.accounts.of(accountId);
    const [seen, addresses] = await Promise.all([
      this.domainsSeen.get(domain.id, () => this.around.domain(domain, account)),
      this.addressesSeen.get(ADDRESSES, () => this.around.addresses()),
    ]);
    return diagnose({
      domain: seen,
      addresses,
      figures,
      isMarketing: domain.sendingType === 'marketing',
      now: new Date(),
    });
  }
}

/** Results of look-ups; one look at a time for each key. */
class Memory<T> {
  private readonly kept = new LRUCache<string, Seen<T>>({ max: MAX_KEPT });
  private readonly looks = new SingleFlight<string, Seen<T>>();

  async get(key: string, look: () => Promise<T>): Promise<Seen<T>> {
    const kept = this.kept.get(key);
    if (kept && kept.at.getTime() + KEPT_MS > Date.now()) return kept;
    return this.looks.run(key, async () => {
      const seen = { at: new Date(), what: await look() };
      this.kept.set(key, seen);
      return seen;
    });
  }
}
