import { Module } from '@nestjs/common';
import { TlsModule } from '../tls/tls.module.js';
import { EgressChecks } from './egress-checks.js';
import { EGRESS_SOURCES, EgressSources } from './egress-sources.js';
import { EgressController } from './egress.controller.js';
import { RELAYS, Relays } from './relays.js';

/** Source addresses and relays through which mail leaves. */
@Module({
  imports: [TlsModule],
  controllers: [EgressController],
  providers: [EGRESS_SOURCES, RELAYS, EgressChecks],
  exports: [EgressSources, Relays],
})
export class EgressModule {}
