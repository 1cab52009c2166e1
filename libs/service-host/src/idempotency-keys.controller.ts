import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { HeldKeyRequest, Refusals, type HeldKeyAnswer } from '@postmesh/contracts';
import { Idempotency } from '@postmesh/idempotency';
import secureJson from 'secure-json-parse';
import { Internal } from './http/operation.decorator.js';

/** For the gateway: whether this service holds an idempotency key. */
@Internal()
@Controller('internal/idempotency-keys')
export class IdempotencyKeysController {
  constructor(private readonly idempotency: Idempotency) {}

  @Post('held')
  @HttpCode(200)
  async held(@Body() body: Buffer): Promise<HeldKeyAnswer> {
    const asked = HeldKeyRequest.safeParse(secureJson.safeParse(body));
    if (!asked.success) throw Refusals.invalidBody();
    const { account_id: accountId, key } = asked.data;
    return { held: await this.idempotency.isHeld({ accountId, key }) };
  }
}
