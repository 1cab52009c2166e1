import { Injectable } from '@nestjs/common';
import { ApiError, ApiErrors, type Principal } from '@postmesh/contracts';
import { SecretBox } from '@postmesh/secrets';
import { dialectOf } from '@postmesh/webhook-dialects';
import { NO_DIALECT, type DialectFields, type WebhookEntity } from '../database/webhook.entity.js';
import { requireScope, WEBHOOK } from '../endpoints/endpoint-kinds.js';
import { UpdateEndpoint } from '../endpoints/update-endpoint.js';
import { aboutSecret, type DialectBody } from './webhook-dialect.schema.js';

export interface SetWebhookDialectCommand {
  principal: Principal;
  id: string;
  input: DialectBody;
}

export interface ChosenDialect {
  webhook: WebhookEntity;
  /** null where the dialect has none */
  secret: string | null;
}

/** Chooses the form of the calls of a webhook, each time with a new secret or the given one (decision 137). */
@Injectable()
export class SetWebhookDialect {
  constructor(
    private readonly update: UpdateEndpoint,
    private readonly secrets: SecretBox,
  ) {}

  /** @throws ApiError 400, 403 or 404 */
  async execute({ principal, id, input }: SetWebhookDialectCommand): Promise<ChosenDialect> {
    const secret = secretOf(input);
    const fields = this.fieldsOf(id, input, secret);
    const which = { id, accountId: principal.account_id };
    const webhook = await this.update.execute(WEBHOOK, which, (seen) => {
      requireScope(WEBHOOK, principal, { action: 'write', domains: seen.domains });
      return { url: seen.url, enabled: seen.enabled, ...fields };
    });
    if (!webhook) throw ApiErrors.notFound('webhook');
    return { webhook, secret };
  }

  private fieldsOf(id: string, { dialect }: DialectBody, secret: string | null): DialectFields {
    if (dialect === null) return NO_DIALECT;
    const sealed = secret === null ? null : this.secrets.seal(secret, aboutSecret(id));
    return { dialect, sealed_dialect_secret: sealed };
  }
}

/** @throws ApiError 400 for a secret that receivers of the dialect cannot have */
function secretOf({ dialect, secret }: DialectBody): string | null {
  const secrets = dialect === null ? null : dialectOf(dialect).secrets;
  if (secret === null || secret === undefined) return secrets === null ? null : secrets.make();
  if (!secrets?.fits) throw new ApiError(400, 'secret cannot be given for this dialect');
  if (!secrets.fits(secret)) throw new ApiError(400, `secret must be ${secrets.form?.replaceAll('`', '')}`);
  return secret;
}
