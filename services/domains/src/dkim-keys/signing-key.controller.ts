import { Controller, Get, Param } from '@nestjs/common';
import { Internal } from '@postmesh/service-host';
import { AccountSettingsStore } from '../account-settings/account-settings.store.js';
import { effectiveSelector, slotSelector } from '../dns-records/effective-names.rules.js';
import { readInternalId } from '../internal-requests/read-internal.js';
import { DomainErrors } from '../sending-domain/domain-errors.js';
import { DkimKeys } from './dkim-keys.repository.js';

/** What the delivery worker signs a domain's messages with. */
@Internal()
@Controller('internal/domains')
export class SigningKeyController {
  constructor(
    private readonly keys: DkimKeys,
    private readonly accounts: AccountSettingsStore,
  ) {}

  @Get(':domain_id/signing-key')
  async get(@Param('domain_id') domainId: string) {
    const active = await this.keys.findActive(readInternalId('domain_id', domainId));
    if (!active) throw DomainErrors.notFound();
    const { records } = await this.accounts.of(active.account_id);
    const selector = effectiveSelector(active, records.account);
    return {
      key_id: active.key_id,
      domain: active.domain,
      selector: active.dns_mode === 'managed' ? slotSelector(selector, active.active_slot) : selector,
      algorithm: 'rsa-sha256',
      private_key_pem: active.private_key_pem,
    };
  }
}
