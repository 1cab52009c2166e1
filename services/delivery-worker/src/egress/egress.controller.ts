import { Controller, Get } from '@nestjs/common';
import { Internal } from '@postmesh/service-host';
import type { EgressCheck } from './egress-checks.rules.js';
import { EgressChecks } from './egress-checks.js';

/** What `npx postmesh doctor` asks of this worker: each may leave from addresses of its own. */
@Internal()
@Controller('operator/egress')
export class EgressController {
  constructor(private readonly checks: EgressChecks) {}

  @Get()
  async run(): Promise<{ checks: EgressCheck[] }> {
    return { checks: await this.checks.run() };
  }
}
