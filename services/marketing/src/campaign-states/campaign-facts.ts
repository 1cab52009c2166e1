import { Injectable } from '@nestjs/common';
import { AccountId } from '@postmesh/contracts';
import { DomainDirectory, type DomainFacts } from '@postmesh/domains-contract';
import { AccountDirectory } from '@postmesh/accounts-contract';
import type { CampaignState } from './campaign-moves.js';
import type { SendingFacts } from './pause.rules.js';

/** Whether a campaign's account and sender can send, according to their owners. To be read outside of transactions. */
@Injectable()
export class CampaignFacts {
  constructor(
    private readonly accounts: AccountDirectory,
    private readonly domains: DomainDirectory,
  ) {}

  /** @throws Transient when one of the services is unavailable */
  async of(campaign: CampaignState): Promise<SendingFacts> {
    const accountId = AccountId.parse(campaign.accountId);
    const [account, sender] = await Promise.all([
      this.account(accountId),
      campaign.fromDomain === null ? undefined : this.domains.find(accountId, campaign.fromDomain),
    ]);
    return { account, sender: senderOf(campaign, sender) };
  }

  private async account(accountId: AccountId): Promise<SendingFacts['account']> {
    const account = await this.accounts.current(accountId);
    if (!account) return 'deleted';
    return account.status === 'active' ? 'active' : 'suspended';
  }
}

/** A domain that was deleted and added again under the same name is another one. */
function senderOf({ fromDomainId }: CampaignState, domain: DomainFacts | undefined): SendingFacts['sender'] {
  if (!domain || domain.deleted || domain.domain_id !== fromDomainId) return 'deleted';
  if (domain.paused) return 'paused';
  return domain.dns_valid ? 'usable' : 'dns_invalid';
}
