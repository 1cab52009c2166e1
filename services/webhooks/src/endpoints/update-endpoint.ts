import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Transient } from '@postmesh/contracts';
import { Outbox } from '@postmesh/events';
import { SecretBox } from '@postmesh/secrets';
import { NEVER_FAILED } from '../count-calls/call-counters.rules.js';
import type { EndpointEntity, OwnFields } from '../database/endpoint.entity.js';
import { storedUrl, wholeUrl } from '../database/target-url.js';
import type { EndpointKind } from './endpoint-kinds.js';
import { Endpoints, stopped, type Which } from './endpoints.js';

// An endpoint that several clients change concurrently is read again; more rounds are no coincidence.
const ROUNDS = 5;

/** The changed fields of an endpoint, with its whole URL. */
export type ChangedFields<E extends EndpointEntity> = Partial<OwnFields<E>> &
  Pick<EndpointEntity, 'url' | 'enabled'>;

/** @param seen with its whole URL @returns undefined without a change */
export type Decide<E extends EndpointEntity> = (
  seen: E,
) => ChangedFields<E> | undefined | Promise<ChangedFields<E> | undefined>;

/**
 * Changes an endpoint by a decision about its current state, and decides again when another client was faster. Enabling
 * an endpoint resets its error counters; disabling drops its pending calls.
 */
@Injectable()
export class UpdateEndpoint {
  constructor(
    private readonly dataSource: DataSource,
    private readonly endpoints: Endpoints,
    private readonly outbox: Outbox,
    private readonly secrets: SecretBox,
  ) {}

  /**
   * @returns the endpoint after the change; undefined when it does not exist
   * @throws the errors of `decide`; Transient when concurrent changes continue
   */
  async execute<E extends EndpointEntity>(
    kind: EndpointKind<E>,
    which: Which,
    decide: Decide<E>,
  ): Promise<E | undefined> {
    for (let round = 0; round < ROUNDS; round += 1) {
      const seen = await this.endpoints.find(kind, which);
      if (!seen) return undefined;
      const fields = await decide({
        ...seen,
        url: wholeUrl(seen, kind.sealedUrl.about(seen.id), this.secrets),
      });
      if (!fields) return seen;
      const row = await this.apply(kind, seen, fields);
      if (row) return row;
    }
    throw new Transient(`${kind.name} ${which.id} is being changed by others`);
  }

  /** @returns undefined when the endpoint has changed since the decision */
  private apply<E extends EndpointEntity>(
    kind: EndpointKind<E>,
    seen: E,
    fields: ChangedFields<E>,
  ): Promise<E | undefined> {
    return this.dataSource.transaction(async (tx) => {
      const now = await this.endpoints.lock(tx, kind, { id: seen.id, accountId: seen.account_id });
      if (now?.revision !== seen.revision) return undefined;
      const changes = {
        ...fields,
        ...storedUrl(fields.url, kind.sealedUrl.about(now.id), this.secrets),
        ...(fields.enabled && !now.enabled ? NEVER_FAILED : {}),
        updated_at: new Date(),
        revision: now.revision + 1,
      };
      await tx.update<EndpointEntity>(kind.entity, { id: now.id }, changes);
      if (now.enabled && !fields.enabled) await this.outbox.add(tx, stopped([now], 'disabled'));
      return { ...now, ...changes };
    });
  }
}
