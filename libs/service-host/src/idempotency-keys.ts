import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import type { z } from 'zod';
import {
  ApiErrors,
  HeldKeyRequest,
  HeldKeyResponse,
  IDEMPOTENCY_REGISTER,
  ReserveKeyRequest,
  ReserveKeyResponse,
  ServiceName,
  Transient,
} from '@postmesh/contracts';
import { Idempotency, type Elsewhere } from '@postmesh/idempotency';
import type { InternalClient } from '@postmesh/internal-http';
import { parseJsonBody } from './http/input.pipes.js';
import { Internal } from './http/operation.decorator.js';

/** Requests of other services about idempotency keys; only the service with the register reserves them. */
@Internal()
@Controller('internal/idempotency-keys')
export class IdempotencyKeysController {
  constructor(private readonly idempotency: Idempotency) {}

  @Post('held')
  @HttpCode(200)
  async held(@Body() body: Buffer): Promise<HeldKeyResponse> {
    const { account_id: accountId, key } = parseInternalBody(HeldKeyRequest, body);
    return { held: await this.idempotency.isHeld({ accountId, key }) };
  }

  @Post('reserve')
  @HttpCode(200)
  async reserve(@Body() body: Buffer): Promise<ReserveKeyResponse> {
    const { account_id: accountId, fingerprint, ...rest } = parseInternalBody(ReserveKeyRequest, body);
    const reservation = { ...rest, accountId, fingerprint: Buffer.from(fingerprint, 'base64') };
    return { reserved: await this.idempotency.reserve(reservation) };
  }
}

/** @throws ApiError 400 */
function parseInternalBody<S extends z.ZodType>(schema: S, body: Buffer): z.infer<S> {
  const parsed = schema.safeParse(parseJsonBody(body));
  if (!parsed.success) throw ApiErrors.invalidBody();
  return parsed.data;
}

/** Lookup of the idempotency keys that other services hold (spec 1-platform §4.2 rule 1). */
export function keysElsewhere(client: InternalClient, name: ServiceName): Elsewhere {
  const isHeld: Elsewhere['isHeld'] = async (home, { accountId, key }) => {
    const body: HeldKeyRequest = { account_id: accountId, key };
    const path = '/internal/idempotency-keys/held';
    const service = ServiceName.parse(home);
    return requireResponse(
      service,
      await client.request(service, { method: 'POST', path, body }, HeldKeyResponse),
    ).held;
  };
  const reserve: Elsewhere['reserve'] = async ({ accountId, key, fingerprint, token }) => {
    const body: ReserveKeyRequest = {
      account_id: accountId,
      key,
      fingerprint: fingerprint.toString('base64'),
      token,
      home: name,
    };
    const path = '/internal/idempotency-keys/reserve';
    const service = IDEMPOTENCY_REGISTER;
    return requireResponse(
      service,
      await client.request(service, { method: 'POST', path, body }, ReserveKeyResponse),
    ).reserved;
  };
  return name === IDEMPOTENCY_REGISTER ? { isHeld } : { isHeld, reserve };
}

/** A service of an older release has no such route until it is upgraded: retried. */
function requireResponse<T>(service: ServiceName, response: T | undefined): T {
  if (response === undefined) throw new Transient(`${service} does not know of idempotency keys`);
  return response;
}
