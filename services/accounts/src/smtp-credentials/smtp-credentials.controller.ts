import { Body, Controller, Query } from '@nestjs/common';
import { apiResponse, visibleDomains, type ApiResponse, type SmtpCredentialId } from '@postmesh/contracts';
import { parsePageQuery, type PageQuery } from '@postmesh/http';
import { body, Call, Operation, query, uuidParam, type ApiCall } from '@postmesh/service-host';
import { actorOf } from '../audit/audit-log.js';
import { presentPage } from '../database/entity-page.js';
import { CreateSmtpCredential, type CreatedSmtpCredential } from './create-smtp-credential.js';
import { DeleteSmtpCredential } from './delete-smtp-credential.js';
import { requireCoverToReplay, requireTouch } from './smtp-credential.rules.js';
import {
  CreateSmtpCredentialBody,
  SMTP_CREDENTIAL_BODY_RULES,
  smtpCredentialResource,
  type NewSmtpCredential,
} from './smtp-credential.schema.js';
import { SmtpCredentialsRepository } from './smtp-credentials.repository.js';

/** An account's logins for submission over SMTP (spec 1-platform §12). */
@Controller()
export class SmtpCredentialsController {
  constructor(
    private readonly credentials: SmtpCredentialsRepository,
    private readonly creation: CreateSmtpCredential,
    private readonly deletion: DeleteSmtpCredential,
  ) {}

  @Operation('smtp-credentials.list')
  async list(@Call() call: ApiCall, @Query(query(parsePageQuery)) page: PageQuery): Promise<ApiResponse> {
    const domains = visibleDomains(call.principal, 'smtp-credentials:read');
    const credentials = await this.credentials.page({ accountId: call.accountId, domains }, page);
    return apiResponse(
      200,
      presentPage(credentials, ({ entity }) => smtpCredentialResource(entity)),
    );
  }

  @Operation('smtp-credentials.create', { beforeReplay: requireCoverToReplay })
  create(
    @Call() call: ApiCall,
    @Body(body(CreateSmtpCredentialBody, SMTP_CREDENTIAL_BODY_RULES)) input: CreateSmtpCredentialBody,
  ): Promise<ApiResponse> {
    const command = { principal: call.principal, input, actor: actorOf(call) };
    return call.respond((remember) => this.creation.execute(command, remember), showOnce);
  }

  @Operation('smtp-credentials.get')
  async get(
    @Call() call: ApiCall,
    @uuidParam('smtp_credential_id') id: SmtpCredentialId,
  ): Promise<ApiResponse> {
    const shown = smtpCredentialResource(await this.credentials.get(call.accountId, id));
    requireTouch(call.principal, 'read', shown.domains);
    return apiResponse(200, shown);
  }

  @Operation('smtp-credentials.delete')
  async delete(
    @Call() call: ApiCall,
    @uuidParam('smtp_credential_id') id: SmtpCredentialId,
  ): Promise<ApiResponse> {
    await this.deletion.execute({ principal: call.principal, id, actor: actorOf(call) });
    return apiResponse(200, { message: 'smtp credential deleted successfully' });
  }
}

/** The only response that holds the password. */
function showOnce({ credential, password }: CreatedSmtpCredential): ApiResponse {
  const shown: NewSmtpCredential = { ...smtpCredentialResource(credential), password };
  return apiResponse(201, shown, { secret: true });
}
