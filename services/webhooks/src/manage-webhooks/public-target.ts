import { Inject, Injectable } from '@nestjs/common';
import { ApiError } from '@postmesh/contracts';
import { AddressPolicy, isRefusedAtSight } from '@postmesh/outgoing-http';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';

/** Says early what the dispatcher would refuse at every call (spec 2-messages §17, §18.9). */
@Injectable()
export class PublicTarget {
  private readonly policy: AddressPolicy;

  constructor(@Inject(SETTINGS) settings: Settings) {
    this.policy = new AddressPolicy(settings.outgoingHttpAllow);
  }

  /** @throws ApiError 400 for a literal address that may not be called; names are judged at each call */
  require(url: string): void {
    if (isRefusedAtSight(new URL(url), this.policy)) {
      throw new ApiError(400, 'url must point to a public address');
    }
  }
}
