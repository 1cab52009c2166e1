import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import { Internal } from '../http/operation.decorator.js';
import { SecretRotation } from './secret-rotation.js';

/** Use of each secret key, for the operator interface: every service with a database has this controller. */
@Internal()
@Controller('operator/secrets')
export class SecretsController {
  constructor(private readonly rotation: SecretRotation) {}

  @Get()
  async status(): Promise<object> {
    const { keyIds, secrets } = await this.rotation.status();
    return { key_ids: keyIds, secrets };
  }

  @Post('rotate')
  @HttpCode(200)
  async rotate(): Promise<object> {
    await this.rotation.request();
    return this.status();
  }
}
