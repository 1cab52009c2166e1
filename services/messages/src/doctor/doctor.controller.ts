import { Controller, Get, Param, type PipeTransform } from '@nestjs/common';
import {
  ApiError,
  apiResponse,
  normaliseDomain,
  type AccountId,
  type ApiResponse,
} from '@postmesh/contracts';
import type { DomainDoctor } from '@postmesh/domains-contract';
import { Call, Internal, Operation, uuidParam, type ApiCall } from '@postmesh/service-host';
import { ExamineDomain } from './examine-domain.js';

const NAME: PipeTransform<string, string> = {
  transform: (text) => {
    const name = normaliseDomain(text);
    if (name === undefined) throw new ApiError(400, 'invalid domain name');
    return name;
  },
};

/** In the console. */
@Controller()
export class DoctorController {
  constructor(private readonly examine: ExamineDomain) {}

  @Operation('domain-doctor.get')
  async get(@Call() { accountId }: ApiCall, @Param('domain', NAME) domain: string): Promise<ApiResponse> {
    return apiResponse(200, await this.examine.execute({ accountId, domain }));
  }
}

/** For `npx postmesh doctor --domain`. */
@Internal()
@Controller('operator/accounts/:account_id/domains/:domain/doctor')
export class OperatorDoctorController {
  constructor(private readonly examine: ExamineDomain) {}

  @Get()
  get(
    @uuidParam('account_id') accountId: AccountId,
    @Param('domain', NAME) domain: string,
  ): Promise<DomainDoctor> {
    return this.examine.execute({ accountId, domain });
  }
}
