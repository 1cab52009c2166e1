import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import type { z } from 'zod';
import {
  ApiErrors,
  EnterKeyRequest,
  ForgetKeyRequest,
  HeldKeyRequest,
  ReserveKeyRequest,
  ServiceName,
  YieldKeyRequest,
  type EnterKeyResponse,
  type HeldKeyResponse,
  type ReserveKeyResponse,
} from '@postmesh/contracts';
import { parseJsonBody } from './http/input.pipes.js';
import { Internal } from './http/operation.decorator.js';
import { Idempotency } from './idempotency/idempotency.js';

/**
 * Idempotency keys of this service, and the register of all keys in the service that keeps it. The gateway calls; services of
 * the release before call `reserve` and `held`, which go with the next release (decision 109).
 */
@Internal()
@Controller('internal/idempotency-keys')
export class IdempotencyKeysController {
  constructor(private readonly idempotency: Idempotency) {}

  @Post('enter')
  @HttpCode(200)
  async enter(@Body() bytes: Buffer): Promise<EnterKeyResponse> {
    const { account_id: accountId, ...rest } = parseInternalBody(EnterKeyRequest, bytes);
    const entered = await this.idempotency.enter({ accountId, ...rest });
    if (entered.kind === 'own') return { entry: null, holder: null };
    if (entered.kind === 'entered') return { entry: entered.entry, holder: null };
    return { entry: null, holder: { home: ServiceName.parse(entered.home), entry: entered.entry } };
  }

  @Post('forget')
  @HttpCode(200)
  async forget(@Body() bytes: Buffer): Promise<object> {
    const { account_id: accountId, ...rest } = parseInternalBody(ForgetKeyRequest, bytes);
    await this.idempotency.forget({ accountId, ...rest });
    return {};
  }

  @Post('yield')
  @HttpCode(200)
  async yield(@Body() bytes: Buffer): Promise<HeldKeyResponse> {
    const { account_id: accountId, ...rest } = parseInternalBody(YieldKeyRequest, bytes);
    return { held: !(await this.idempotency.yield({ accountId, ...rest })) };
  }

  @Post('held')
  @HttpCode(200)
  async held(@Body() bytes: Buffer): Promise<HeldKeyResponse> {
    const { account_id: accountId, key } = parseInternalBody(HeldKeyRequest, bytes);
    return { held: await this.idempotency.isHeld({ accountId, key }) };
  }

  /** A gateway of this release has entered the key already. Else the key of another service counts as held. */
  @Post('reserve')
  @HttpCode(200)
  async reserve(@Body() bytes: Buffer): Promise<ReserveKeyResponse> {
    const { account_id: accountId, key, home } = parseInternalBody(ReserveKeyRequest, bytes);
    return { reserved: (await this.idempotency.enter({ accountId, key, home })).kind === 'entered' };
  }
}

/** @throws ApiError 400 */
function parseInternalBody<S extends z.ZodType>(schema: S, bytes: Buffer): z.infer<S> {
  const parsed = schema.safeParse(parseJsonBody(bytes));
  if (!parsed.success) throw ApiErrors.invalidBody();
  return parsed.data;
}
