import { Inject, Injectable } from '@nestjs/common';
import { DomainFacts } from '@postmesh/domains-contract';
import { Transient } from '@postmesh/contracts';
import { InternalClient } from '@postmesh/http';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { readSystemSender } from './system-mail.rules.js';

/** The sending domain of Postmesh itself. */
@Injectable()
export class SystemDomain {
  private readonly name: string;

  constructor(
    private readonly client: InternalClient,
    @Inject(SETTINGS) { systemSender, serviceZone }: Settings,
  ) {
    this.name = readSystemSender(systemSender, serviceZone).domain;
  }

  /** The first call creates it. @throws Transient when the domains service is unavailable */
  async find(): Promise<DomainFacts> {
    const request = { method: 'PUT' as const, path: '/internal/system-domain', body: { domain: this.name } };
    const facts = await this.client.request('domains', request, DomainFacts);
    if (!facts) throw new Transient('the domains service has no domain for system mail');
    return facts;
  }
}
