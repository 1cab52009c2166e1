import { Body, Controller, Delete, Get, Param, Put } from '@nestjs/common';
import { ApiError, ApiErrors } from '@postmesh/contracts';
import { body, Internal, OperatorName } from '@postmesh/service-host';
import { z } from 'zod';
import { ProviderCredentials } from './provider-credentials.js';
import { ProviderViewError } from './provider-view.port.js';
import { ProviderViews } from './provider-views.js';

const secret = z.string().regex(/^[\x21-\x7e]{1,2000}$/, 'must be 1 to 2,000 visible characters');
const GmailBody = z.object({ client_id: secret, client_secret: secret, refresh_token: secret });
const SndsBody = z.object({ key: secret });

/** Credentials of the operator for the figures of mailbox providers. Secrets are never shown again. */
@Internal()
@Controller('operator/provider-views')
export class ProviderViewsController {
  constructor(
    private readonly views: ProviderViews,
    private readonly credentials: ProviderCredentials,
  ) {}

  @Get()
  async list() {
    const rows = await this.credentials.list();
    return {
      data: rows.map(({ provider, clientId, givenBy, givenAt }) => ({
        provider,
        client_id: clientId,
        given_by: givenBy,
        given_at: givenAt.toISOString(),
      })),
    };
  }

  @Put('gmail')
  async put(
    @OperatorName() by: string,
    @Body(body(GmailBody)) { client_id, client_secret, refresh_token }: z.infer<typeof GmailBody>,
  ) {
    const given = { clientId: client_id, clientSecret: client_secret, refreshToken: refresh_token };
    return this.given(this.views.putGmail(given, `operator ${by}`));
  }

  @Put('snds')
  async putSnds(@OperatorName() by: string, @Body(body(SndsBody)) { key }: z.infer<typeof SndsBody>) {
    return this.given(this.views.putSnds({ key }, `operator ${by}`));
  }

  @Delete(':provider')
  async remove(@Param('provider') provider: string) {
    if (!(await this.credentials.remove(provider))) throw ApiErrors.notFound('credentials');
    return this.list();
  }

  private async given(putting: Promise<void>) {
    try {
      await putting;
    } catch (error) {
      if (!(error instanceof ProviderViewError)) throw error;
      throw new ApiError(400, `the credentials cannot be used: ${error.message}`);
    }
    return this.list();
  }
}
