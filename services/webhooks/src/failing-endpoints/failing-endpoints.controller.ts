import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import type { z } from 'zod';
import { ApiErrors } from '@postmesh/contracts';
import { EndpointStandingsRequest, type EndpointStanding } from '@postmesh/webhooks-contract';
import { body, Internal, uuidParam } from '@postmesh/service-host';
import { UpdateRoute } from '../manage-routes/update-route.js';
import { UpdateWebhook } from '../manage-webhooks/update-webhook.js';
import { FailingEndpoints } from './failing-endpoints.js';

// Each has a line in `npx postmesh doctor`; the last line has the number of the others.
const MAX_LINES = 10;

/** Failing and disabled endpoints for operators, and the actions on them. */
@Internal()
@Controller()
export class FailingEndpointsController {
  constructor(
    private readonly endpoints: FailingEndpoints,
    private readonly webhooks: UpdateWebhook,
    private readonly routes: UpdateRoute,
  ) {}

  @Post('internal/endpoint-standings')
  @HttpCode(200)
  async standings(
    @Body(body(EndpointStandingsRequest))
    { account_id, endpoint_id }: z.infer<typeof EndpointStandingsRequest>,
  ): Promise<{ endpoints: EndpointStanding[] }> {
    const endpoints = await this.endpoints.standings({
      ...(account_id ? { accountId: account_id } : {}),
      ...(endpoint_id ? { endpointId: endpoint_id } : {}),
    });
    return { endpoints };
  }

  /** For `npx postmesh doctor`. */
  @Get('operator/checks')
  async checks(): Promise<object> {
    const [troubled, { failing, disabled }] = await Promise.all([
      this.endpoints.standings({}),
      this.endpoints.count(),
    ]);
    const check = 'every webhook and route succeeds';
    if (troubled.length === 0) {
      return { checks: [{ check, ok: true, detail: 'none is failing or disabled by Postmesh' }] };
    }
    const lines = troubled.slice(0, MAX_LINES).map((endpoint) => ({
      check: `${endpoint.target} ${endpoint.name} (${endpoint.host}) succeeds`,
      ok: false,
      detail: `account ${endpoint.account_id}: ${endpoint.standing}. ${endpoint.to_do}`,
    }));
    const detail = `${failing} failing, ${disabled} disabled by Postmesh: npx postmesh webhooks --troubled`;
    return { checks: [{ check, ok: false, detail }, ...lines] };
  }

  /** @throws ApiError 404; 400 for a route whose domain the account no longer has */
  @Post('operator/endpoints/:endpoint_id/enable')
  @HttpCode(200)
  async enable(@uuidParam('endpoint_id') id: string): Promise<object> {
    const enabled = (await this.webhooks.enableForOperator(id)) ?? (await this.routes.enableForOperator(id));
    if (!enabled) throw ApiErrors.notFound('webhook or route');
    const { account_id, name, url } = enabled;
    return { endpoint_id: id, account_id, name, url, enabled: true };
  }
}
