import { Controller, Get, Inject } from '@nestjs/common';
import { Internal, SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { checkDane } from '../tls/dane-check.js';
import { DaneLookup } from '../tls/dane-lookup.js';
import { Ways } from '../ways/ways.js';
import type { EgressCheck } from './egress-checks.rules.js';
import { EgressChecks } from './egress-checks.js';

/** The checks of this worker for `npx postmesh doctor`: each worker may leave from addresses of its own. */
@Internal()
@Controller('operator/egress')
export class EgressController {
  constructor(
    private readonly checks: EgressChecks,
    private readonly dane: DaneLookup,
    private readonly ways: Ways,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Get()
  async run(): Promise<{ checks: EgressCheck[] }> {
    const [egress, dane] = await Promise.all([this.checks.run(), this.checkDane()]);
    return { checks: [...egress, ...dane] };
  }

  /** No finding if local-internet or a relay takes all mail. */
  private async checkDane(): Promise<EgressCheck[]> {
    const { localInternet, validatingResolvers } = this.settings;
    if (localInternet || this.ways.areOnlyRelays) return [];
    return [await checkDane(this.dane.resolvers, validatingResolvers.length > 0)];
  }
}
