import { Controller, Get, Inject, Param } from '@nestjs/common';
import { apiResponse, ApiError, type ApiResponse } from '@postmesh/contracts';
import { Call, Internal, Operation, SETTINGS, type ApiCall } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { DOMAIN_NAME } from '../sending-domains/domain-errors.js';
import { publicKeyRecords } from './apply-link.rules.js';
import { GetSetupLink, signerOf } from './get-setup-link.js';
import { templateOf, type Template } from './template.rules.js';

/** The link of a member, in the console. */
@Controller()
export class SetupLinkController {
  constructor(private readonly getSetupLink: GetSetupLink) {}

  @Operation('setup-links.get')
  async get(
    @Call() { accountId }: ApiCall,
    @Param('domain', DOMAIN_NAME) domain: string,
  ): Promise<ApiResponse> {
    return apiResponse(200, await this.getSetupLink.execute({ accountId, domain }));
  }
}

/** The files of an operator for the registration with DNS hosts. */
@Internal()
@Controller('operator/domain-connect')
export class DomainConnectController {
  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  /** @throws ApiError 404 while it is not set up */
  @Get('template')
  get(): {
    file_name: string;
    template: Template;
    key_records: { type: 'TXT'; host: string; content: string }[];
  } {
    const signer = signerOf(this.settings);
    if (!signer)
      throw new ApiError(404, 'there is no template: set POSTMESH_DOMAIN_CONNECT_PROVIDER_ID and _KEY first');
    const { providerId, serviceId, key, keyLabel } = signer;
    const { baseUrl, serviceZone, domainConnectName: name } = this.settings;
    const redirectHost = baseUrl === undefined ? undefined : new URL(baseUrl).hostname;
    return {
      file_name: `${providerId}.${serviceId}.json`,
      template: templateOf({ providerId, serviceId, name, serviceZone, redirectHost }),
      key_records: publicKeyRecords(key).map((content) => ({
        type: 'TXT',
        host: `${keyLabel}.${serviceZone}`,
        content,
      })),
    };
  }
}
