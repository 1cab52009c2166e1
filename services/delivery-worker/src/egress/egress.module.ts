import { Module } from '@nestjs/common';
import { ShapingModule } from '../shaping/shaping.module.js';
import { TlsModule } from '../tls/tls.module.js';
import { EgressChecks } from './egress-checks.js';
import { EGRESS_SOURCES, EgressSources } from './egress-sources.js';
import { EgressAddressesController } from './egress-addresses.controller.js';
import { EgressController } from './egress.controller.js';
import { WarmUpModule } from '../warm-up/warm-up.module.js';
import { WaysModule } from '../ways/ways.module.js';
import { WaysController } from './ways.controller.js';
import { PublishAddresses } from './publish-addresses.js';
import { Relays } from './relays.js';

/** Source addresses and relays through which mail leaves. */
@Module({
  imports: [ShapingModule, TlsModule, WarmUpModule, WaysModule],
  controllers: [EgressAddressesController, EgressController, WaysController],
  providers: [EGRESS_SOURCES, Relays, EgressChecks, PublishAddresses],
  exports: [EgressSources, Relays],
})
export class EgressModule {}
