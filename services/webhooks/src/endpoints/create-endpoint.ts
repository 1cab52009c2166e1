import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { newId } from '@postmesh/contracts';
import { databaseNow } from '@postmesh/database';
import { randomText, SecretBox } from '@postmesh/secrets';
import { SETTINGS, type Remember } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { requirePresent } from '../account-changes/deleted-accounts.js';
import { NEVER_FAILED } from '../count-calls/call-counters.rules.js';
import type { EndpointEntity, OwnFields } from '../database/endpoint.entity.js';
import { storedUrl } from '../database/target-url.js';
import type { EndpointKind } from './endpoint-kinds.js';
import { EndpointErrors } from './endpoint.schema.js';
import { Endpoints } from './endpoints.js';

export interface NewEndpoint<E extends EndpointEntity> {
  accountId: string;
  /** with the whole URL */
  fields: OwnFields<E> & Pick<EndpointEntity, 'url'>;
}

export interface CreatedEndpoint<E extends EndpointEntity> {
  endpoint: E;
  /** signs every call; shown only once */
  secret: string;
}

/** The last steps of every create: secret, limit, row. */
@Injectable()
export class CreateEndpoint {
  constructor(
    private readonly dataSource: DataSource,
    private readonly endpoints: Endpoints,
    private readonly secrets: SecretBox,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** @throws ApiError 401 or 403 */
  async execute<E extends EndpointEntity>(
    kind: EndpointKind<E>,
    { accountId, fields }: NewEndpoint<E>,
    remember: Remember<CreatedEndpoint<E>>,
  ): Promise<CreatedEndpoint<E>> {
    const secret = `${this.settings.keyPrefix}-${kind.secretMark}-${randomText(kind.secretLength)}`;
    return this.dataSource.transaction(async (tx) => {
      await requirePresent(tx, accountId);
      const count = await this.endpoints.countForCreate(tx, kind, accountId);
      if (count >= kind.limitIn(this.settings)) throw EndpointErrors.limitReached(kind.name);
      // another process compares it with the times of events
      const now = await databaseNow(tx);
      const created = { endpoint: this.row(kind, { accountId, fields }, { secret, now }), secret };
      await tx.insert<EndpointEntity>(kind.entity, created.endpoint);
      await remember(tx, created);
      return created;
    });
  }

  private row<E extends EndpointEntity>(
    { sealedSecret, sealedUrl }: EndpointKind<E>,
    { accountId, fields }: NewEndpoint<E>,
    { secret, now }: { secret: string; now: Date },
  ): E {
    const id = newId();
    const row = {
      id,
      account_id: accountId,
      created_at: now,
      updated_at: now,
      revision: 1,
      sealed_secret: this.secrets.seal(secret, sealedSecret.about(id)),
      ...fields,
      ...storedUrl(fields.url, sealedUrl.about(id), this.secrets),
      success_count: '0',
      error_count: '0',
      ...NEVER_FAILED,
      last_request_at: null,
    };
    return row as unknown as E;
  }
}
