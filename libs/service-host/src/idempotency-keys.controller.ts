import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import {
  HeldKeyRequest,
  ApiErrors,
  ReserveKeyRequest,
  type HeldKeyResponse,
  type ReserveKeyResponse,
} from '@postmesh/contracts';
import { Idempotency } from '@postmesh/idempotency';
import secureJson from 'secure-json-parse';
import { Internal } from './http/operation.decorator.js';

/** What other services ask about idempotency keys; only the service that keeps the register is asked to reserve. */
@Internal()
@Controller('internal/idempotency-keys')
export class IdempotencyKeysController {
  constructor(private readonly idempotency: Idempotency) {}

  @Post('held')
  @HttpCode(200)
  async held(@Body() body: Buffer): Promise<HeldKeyResponse> {
    const asked = HeldKeyRequest.safeParse(secureJson.safeParse(body));
    if (!asked.success) throw ApiErrors.invalidBody();
    const { account_id: accountId, key } = asked.data;
    return { held: await this.idempotency.isHeld({ accountId, key }) };
  }

  @Post('reserve')
  @HttpCode(200)
  async reserve(@Body() body: Buffer): Promise<ReserveKeyResponse> {
    const asked = ReserveKeyRequest.safeParse(secureJson.safeParse(body));
    if (!asked.success) throw ApiErrors.invalidBody();
    const { account_id: accountId, fingerprint, ...rest } = asked.data;
    const reservation = { ...rest, accountId, fingerprint: Buffer.from(fingerprint, 'base64') };
    return { reserved: await this.idempotency.reserve(reservation) };
  }
}
