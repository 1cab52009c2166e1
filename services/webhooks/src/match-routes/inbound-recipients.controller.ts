import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { z } from 'zod';
import { InboundRecipientsRequest, type InboundRecipients } from '@postmesh/webhooks-contract';
import type { InboundOwner } from '@postmesh/contracts';
import { parseEmailAddress } from '@postmesh/mail-format';
import { body, Internal } from '@postmesh/service-host';
import { DomainOwners } from './domain-owners.js';
import { EnabledRoutes } from './enabled-routes.js';
import { plainAddress, takesAddress, type PlainAddress } from './recipient-pattern.rules.js';

/** The accounts that take mail to some addresses; the gateway calls it at each RCPT TO (spec 1-platform §13.4 rule 2). */
@Internal()
@Controller('internal/inbound-recipients')
export class InboundRecipientsController {
  constructor(
    private readonly dataSource: DataSource,
    private readonly owners: DomainOwners,
    private readonly routes: EnabledRoutes,
  ) {}

  @Post()
  @HttpCode(200)
  async find(
    @Body(body(InboundRecipientsRequest)) { recipients }: z.infer<typeof InboundRecipientsRequest>,
  ): Promise<InboundRecipients> {
    const asked = recipients.map((recipient) => ({ recipient, address: addressOf(recipient) }));
    const domains = [...new Set(asked.flatMap(({ address }) => address?.domain ?? []))];
    const takers = await this.takersAt(domains);
    return {
      recipients: asked.map(({ recipient, address }) => ({
        recipient,
        owners: address ? takers(address) : [],
      })),
    };
  }

  /** @returns a function: the owners with an enabled route for an address at one of the domains */
  private async takersAt(domains: readonly string[]): Promise<(address: PlainAddress) => InboundOwner[]> {
    const owners = domains.length === 0 ? new Map<string, InboundOwner[]>() : await this.owners.of(domains);
    const accountIds = [...new Set([...owners.values()].flat().map(({ account_id }) => account_id))];
    if (accountIds.length === 0) return () => [];
    const rows = await this.routes.patterns(this.dataSource.manager, accountIds, domains);
    const patterns = rows.map(({ account_id, recipient }) => ({
      account_id,
      takes: takesAddress(recipient),
    }));
    return (address) =>
      (owners.get(address.domain) ?? []).filter((owner) =>
        patterns.some(({ account_id, takes }) => account_id === owner.account_id && takes(address)),
      );
  }
}

/** undefined: no valid address for mail */
function addressOf(recipient: string): PlainAddress | undefined {
  const parsed = parseEmailAddress(recipient);
  return parsed.ok ? plainAddress(parsed.address.address) : undefined;
}
