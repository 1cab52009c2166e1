import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import type { AccountId } from '@postmesh/contracts';
import { DoctorFacts, type DomainDoctor } from '@postmesh/domains-contract';
import { body, Internal, uuidParam } from '@postmesh/service-host';
import { DOMAIN_NAME } from '../sending-domains/domain-errors.js';
import { ExamineDomain } from './examine-domain.js';

/** The messages service, which has the facts, asks for its members and operators. */
@Internal()
@Controller('internal/accounts/:account_id/domains/:domain/doctor')
export class DoctorController {
  constructor(private readonly examine: ExamineDomain) {}

  @Post()
  @HttpCode(200)
  run(
    @uuidParam('account_id') accountId: AccountId,
    @Param('domain', DOMAIN_NAME) domain: string,
    @Body(body(DoctorFacts)) facts: DoctorFacts,
  ): Promise<DomainDoctor> {
    return this.examine.execute({ accountId, domain, ...facts });
  }
}
