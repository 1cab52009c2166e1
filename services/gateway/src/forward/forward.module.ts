import { Module } from '@nestjs/common';
import { PrincipalMinter, principalPrivateKey } from '@postmesh/http';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { AuditModule } from '../audit/audit.module.js';
import { Forwarding } from './forwarding.js';
import { IdempotencyRegister } from './idempotency-register.js';
import { OperationCalls } from './operation-calls.js';
import { SubAccountFigures } from './sub-account-figures.js';

/** Requests forwarded to the services, in the name of their principal. */
@Module({
  imports: [AuditModule],
  providers: [
    {
      provide: PrincipalMinter,
      inject: [SETTINGS],
      useFactory: (settings: Settings) => new PrincipalMinter(principalPrivateKey(settings)),
    },
    IdempotencyRegister,
    SubAccountFigures,
    Forwarding,
    OperationCalls,
  ],
  exports: [Forwarding, OperationCalls],
})
export class ForwardModule {}
