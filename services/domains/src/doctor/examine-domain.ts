import { Injectable } from '@nestjs/common';
import type { AccountId } from '@postmesh/contracts';
import type { DoctorFacts, DomainDoctor } from '@postmesh/domains-contract';
import { isDnsValid } from '../database/entities.js';
import { AccountSettingsStore } from '../domain-store/account-settings.js';
import { SendingDomains } from '../domain-store/sending-domains.repository.js';
import { ProviderViews } from '../provider-views/provider-views.js';
import { DomainErrors } from '../sending-domains/domain-errors.js';
import { LookAround, type SeenAddresses, type SeenDomain } from './look-around.js';
import { diagnose } from './diagnosis.rules.js';
import { Memory } from './memory.js';

interface ExamineDomainCommand extends DoctorFacts {
  accountId: AccountId;
  /** normalised */
  domain: string;
}

/** Results of look-ups are used for this time: a page that is opened twice asks no name server twice. */
const KEPT_MS = 10 * 60_000;

/** The doctor of a domain. */
@Injectable()
export class ExamineDomain {
  private readonly domainsSeen = new Memory<SeenDomain>(() => KEPT_MS);
  private readonly addressesSeen = new Memory<SeenAddresses>(() => KEPT_MS);

  constructor(
    private readonly domains: SendingDomains,
    private readonly accounts: AccountSettingsStore,
    private readonly around: LookAround,
    private readonly providers: ProviderViews,
  ) {}

  /** @throws ApiError 404 */
  async execute(command: ExamineDomainCommand): Promise<DomainDoctor> {
    const { accountId, domain: name, figures, feedback, egress } = command;
    const domain = await this.domains.find(accountId, name);
    if (!domain) throw DomainErrors.notFound();
    const account = await this.accounts.of(accountId);
    const ours = this.around.ownAddresses(egress);
    const isProved = isDnsValid(domain);
    const [seen, addresses, views, addressViews] = await Promise.all([
      this.domainsSeen.get(domain.id, () => this.around.domain(domain, account)),
      this.addressesSeen.get(ours.join(' '), () => this.around.addresses(ours)),
      // figures of a domain are for those who have proved that it is theirs
      isProved ? this.providers.of(domain.domain) : [],
      isProved ? this.providers.ofSources(ours) : [],
    ]);
    return diagnose({
      domain: seen,
      addresses,
      figures,
      views,
      addressViews,
      feedbackViews: isProved ? feedback : [],
      isMarketing: domain.sendingType === 'marketing',
      now: new Date(),
    });
  }
}
