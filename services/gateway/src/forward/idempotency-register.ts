import type { IncomingHttpHeaders } from 'node:http';
import { Injectable } from '@nestjs/common';
import {
  ApiErrors,
  EnterKeyResponse,
  HeldKeyResponse,
  IDEMPOTENCY_REGISTER,
  KEY_HOLDER_HEADER,
  KeyHolder,
  Transient,
  type AccountId,
  type ServiceName,
} from '@postmesh/contracts';
import { idempotencyKeyOf } from '@postmesh/service-host';
import { InternalClient } from '@postmesh/http';
import { z } from 'zod';

/** A key, and the service of the operation that it comes with. */
export interface KeyedRequest {
  readonly accountId: AccountId;
  readonly key: string;
  readonly service: ServiceName;
}

// Another service can take the key again between two questions; after this many rounds it counts as held.
const MAX_ROUNDS = 3;

/**
 * A key is its account's, whichever service an operation is of (spec 1-platform §4.2 rule 1). The gateway enters a key into
 * the register before it forwards the request, and asks the service that had the key to give it up (decision 109). A send
 * is of the register's own service, which answers where another service may hold the key.
 */
@Injectable()
export class IdempotencyRegister {
  constructor(private readonly client: InternalClient) {}

  /**
   * @returns the entry for the head of the request; undefined where none is needed
   * @throws ApiError 422 when another service holds the key; Transient when one of them cannot be asked
   */
  async enter(request: KeyedRequest): Promise<string | undefined> {
    const { accountId, key, service } = request;
    if (service === IDEMPOTENCY_REGISTER) return undefined;
    let freed: string | undefined;
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const body = { account_id: accountId, key, home: service, freed };
      const entered = await this.ask(IDEMPOTENCY_REGISTER, 'enter', body, EnterKeyResponse);
      // a register of the release before: services of that release enter their runs
      if (!entered) return undefined;
      if (entered.entry !== null) return entered.entry;
      if (entered.holder === null || !(await this.giveUp(request, entered.holder))) break;
      freed = entered.holder.entry;
    }
    throw ApiErrors.idempotencyMismatch();
  }

  /**
   * For a request to the register's service that found the key with another one.
   * @returns whether the key is free now
   * @throws Transient when one of them cannot be asked
   */
  async free(request: KeyedRequest, holder: KeyHolder): Promise<boolean> {
    if (!(await this.giveUp(request, holder))) return false;
    const body = { account_id: request.accountId, key: request.key, entry: holder.entry };
    const forgotten = await this.ask(IDEMPOTENCY_REGISTER, 'forget', body, z.object({}));
    if (!forgotten) throw new Transient('the register of idempotency keys is of another release');
    return true;
  }

  /** A service of the release before is not known to have given a key up. */
  private async giveUp(
    { accountId, key, service }: KeyedRequest,
    { home, entry }: KeyHolder,
  ): Promise<boolean> {
    const body = { account_id: accountId, key, entry, to: service };
    const given = await this.ask(home, 'yield', body, HeldKeyResponse);
    return given !== undefined && !given.held;
  }

  private ask<S extends z.ZodType>(service: ServiceName, question: string, body: object, schema: S) {
    const path = `/internal/idempotency-keys/${question}`;
    return this.client.request(service, { method: 'POST', path, body }, schema);
  }
}

/** @returns the key of a request to an operation that honours it. @throws ApiError 400 when it is too long */
export const keyOf = (headers: IncomingHttpHeaders): string | undefined =>
  idempotencyKeyOf(headers['idempotency-key']);

/** @returns the service that may hold the key of a request that was refused for it */
export function holderIn(headers: Record<string, string | string[] | undefined>): KeyHolder | undefined {
  const [home, entry] = String(headers[KEY_HOLDER_HEADER] ?? '').split(' ');
  const holder = KeyHolder.safeParse({ home, entry });
  return holder.success ? holder.data : undefined;
}
