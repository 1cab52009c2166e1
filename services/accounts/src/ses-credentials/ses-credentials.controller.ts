import { Controller } from '@nestjs/common';
import { ApiKeyId, apiResponse, type ApiResponse } from '@postmesh/contracts';
import { Call, Operation, uuidParam, type ApiCall } from '@postmesh/service-host';
import { actorOf } from '../audit/audit-log.js';
import { CreateSesCredential } from './create-ses-credential.js';
import { DeleteSesCredential } from './delete-ses-credential.js';
import { sesCredentialResource } from './ses-credential.schema.js';

/** Access keys of API keys, for members of the account. */
@Controller()
export class SesCredentialsController {
  constructor(
    private readonly creation: CreateSesCredential,
    private readonly deletion: DeleteSesCredential,
  ) {}

  @Operation('ses-credentials.create')
  async create(@Call() call: ApiCall, @uuidParam('key_id') id: string): Promise<ApiResponse> {
    const command = { principal: call.principal, keyId: ApiKeyId.parse(id), actor: actorOf(call) };
    const created = await this.creation.execute(command);
    return apiResponse(201, sesCredentialResource(created), { secret: true });
  }

  @Operation('ses-credentials.delete')
  async delete(@Call() call: ApiCall, @uuidParam('key_id') id: string): Promise<ApiResponse> {
    await this.deletion.execute({
      principal: call.principal,
      keyId: ApiKeyId.parse(id),
      actor: actorOf(call),
    });
    return apiResponse(200, { message: 'ses credential deleted successfully' });
  }
}
