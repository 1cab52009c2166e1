import { Module } from '@nestjs/common';
import { ShapingModule } from '../shaping/shaping.module.js';
import { DaneLookup } from './dane-lookup.js';
import { ForgetTlsSessions } from './forget-tls-sessions.js';
import { KeepStsPolicies } from './keep-sts-policies.js';
import { StsPolicies } from './sts-policies.js';
import { TlsNeeds } from './tls-needs.js';
import { TlsSessionsController } from './tls-sessions.controller.js';
import { TlsSessions } from './tls-sessions.js';
import { DANE_LOOKUP, EXTRA_CA, EXTRA_CA_IN_FORCE, PUBLISHED_POLICIES } from './tls-parts.js';

/** TLS that a destination needs: DANE, MTA-STS, rows of providers. */
@Module({
  imports: [ShapingModule],
  controllers: [TlsSessionsController],
  providers: [
    EXTRA_CA_IN_FORCE,
    DANE_LOOKUP,
    PUBLISHED_POLICIES,
    StsPolicies,
    KeepStsPolicies,
    TlsNeeds,
    TlsSessions,
    ForgetTlsSessions,
  ],
  exports: [EXTRA_CA, DaneLookup, TlsNeeds, TlsSessions],
})
export class TlsModule {}
