import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { KeyLookup as KeyLookupRequest, KeyUses, type KeyLookupResponse } from '@postmesh/contracts';
import { Internal } from '@postmesh/service-host';
import { internalBody } from '../internal-requests/internal-body.js';
import { KeyLookup } from './key-lookup.js';

@Controller('internal/keys')
@Internal()
export class KeyLookupController {
  constructor(private readonly keys: KeyLookup) {}

  @Post('lookup')
  @HttpCode(200)
  lookup(@Body(internalBody(KeyLookupRequest)) { hashes }: KeyLookupRequest): Promise<KeyLookupResponse> {
    return this.keys.find(hashes.map((hash) => Buffer.from(hash, 'base64')));
  }

  @Post('used')
  @HttpCode(200)
  async used(@Body(internalBody(KeyUses)) { uses }: KeyUses): Promise<{ message: string }> {
    await this.keys.recordUses(uses);
    return { message: 'uses recorded' };
  }
}
