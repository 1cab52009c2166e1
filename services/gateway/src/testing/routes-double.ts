import { AccountId, DomainId, newId, type InboundOwner } from '@postmesh/contracts';
import { InboundRecipientsRequest, type InboundRecipients } from '@postmesh/webhooks-contract';
import type { InternalRequest, InternalResponse, LocalService } from '@postmesh/http';

/** Implements the look-up of inbound recipients of the webhooks service in memory. */
export class RoutesDouble implements LocalService {
  /** requests so far */
  asked = 0;
  /** unreachable while true */
  away = false;
  private readonly owners = new Map<string, InboundOwner[]>();

  /** @returns the account of the new route for this address */
  add(address: string): string {
    const accountId = AccountId.parse(newId());
    const domain = address.slice(address.indexOf('@') + 1);
    this.owners.set(address, [{ account_id: accountId, domain_id: DomainId.parse(newId()), domain }]);
    return accountId;
  }

  route(): void {
    throw new Error('the double has no operations');
  }

  async inject(request: InternalRequest): Promise<InternalResponse> {
    if (this.away) throw new Error('away');
    this.asked += 1;
    const { recipients } = InboundRecipientsRequest.parse(request.body);
    const response: InboundRecipients = {
      recipients: recipients.map((recipient) => ({ recipient, owners: this.owners.get(recipient) ?? [] })),
    };
    return { status: 200, headers: {}, bytes: Buffer.from(JSON.stringify(response)) };
  }
}
