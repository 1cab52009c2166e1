import { Controller, Get } from '@nestjs/common';
import type { EgressAddresses } from '@postmesh/delivery-worker-contract';
import { Internal } from '@postmesh/service-host';
import { Ways } from '../ways/ways.js';
import { WaysRows } from '../ways/ways-rows.js';

/** The addresses of operators' sources, for the services that judge our addresses. */
@Internal()
@Controller('internal/egress-addresses')
export class EgressAddressesController {
  constructor(
    private readonly rows: WaysRows,
    private readonly ways: Ways,
  ) {}

  @Get()
  async read(): Promise<EgressAddresses> {
    return { addresses: await this.rows.addresses(), only_relays: this.ways.areOnlyRelays };
  }
}
