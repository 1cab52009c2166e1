import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { KeyLookup as KeyLookupRequest, KeyUses, type KeyLookupResponse } from '@postmesh/contracts';
import { Internal } from '@postmesh/service-host';
import { parseInternal } from '../internal-requests/parse-internal.js';
import { KeyLookup } from './key-lookup.js';
import { KeyUseRecorder } from './key-uses.js';

@Controller('internal/keys')
@Internal()
export class KeyLookupController {
  constructor(
    private readonly keys: KeyLookup,
    private readonly uses: KeyUseRecorder,
  ) {}

  @Post('lookup')
  @HttpCode(200)
  lookup(@Body() body: unknown): Promise<KeyLookupResponse> {
    const { hashes } = parseInternal(KeyLookupRequest, body);
    return this.keys.find(hashes.map((hash) => Buffer.from(hash, 'base64')));
  }

  @Post('used')
  @HttpCode(200)
  async used(@Body() body: unknown): Promise<{ message: string }> {
    await this.uses.record(parseInternal(KeyUses, body));
    return { message: 'uses recorded' };
  }
}
