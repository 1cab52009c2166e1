import { Body, Controller, Query } from '@nestjs/common';
import { apiResponse, type ApiResponse } from '@postmesh/contracts';
import { parsePageQuery, toPage, type PageQuery } from '@postmesh/http';
import { body, Call, Operation, optionalBody, query, uuidParam, type ApiCall } from '@postmesh/service-host';
import { DeleteEndpoint } from '../endpoints/delete-endpoint.js';
import { OwnedDomains } from '../endpoints/endpoint-checks.js';
import { ROUTE } from '../endpoints/endpoint-kinds.js';
import { READ_ONLY_FIELDS } from '../endpoints/endpoint.schema.js';
import { Endpoints } from '../endpoints/endpoints.js';
import { CreateRoute, type CreatedRoute } from './create-route.js';
import { listedDomain, requireCreate } from './route-scope.rules.js';
import { CreateRouteBody, ListRoutesQuery, UpdateRouteBody } from './route.schema.js';
import { RouteErrors, routeResource, TriggerRouteBody, type NewRouteResource } from './route.schema.js';
import { RoutesRepository } from './routes.repository.js';
import { TriggerRoute } from './trigger-route.js';
import { UpdateRoute } from './update-route.js';

const RULES = { readOnly: READ_ONLY_FIELDS };

/** An account's routes (spec 1-platform §13). */
@Controller()
export class RoutesController {
  constructor(
    private readonly routes: RoutesRepository,
    private readonly endpoints: Endpoints,
    private readonly owned: OwnedDomains,
    private readonly creation: CreateRoute,
    private readonly change: UpdateRoute,
    private readonly deletion: DeleteEndpoint,
    private readonly sample: TriggerRoute,
  ) {}

  @Operation('routes.list')
  async list(
    @Call() call: ApiCall,
    @Query(query(parsePageQuery, ListRoutesQuery)) [page, filters]: [PageQuery, ListRoutesQuery],
  ): Promise<ApiResponse> {
    const { accountId } = call;
    const domain = listedDomain(call.principal, filters.domain);
    if (domain !== undefined && !(await this.owned.find(accountId, [domain])).has(domain)) {
      throw RouteErrors.domainNotFound(domain);
    }
    const rows = await this.routes.page({ accountId, domain }, page);
    return apiResponse(200, toPage(rows, page, routeResource));
  }

  @Operation('routes.create', { beforeReplay: requireCreate })
  create(
    @Call() call: ApiCall,
    @Body(body(CreateRouteBody, RULES)) input: CreateRouteBody,
  ): Promise<ApiResponse> {
    const command = { principal: call.principal, input };
    return call.respond((remember) => this.creation.execute(command, remember), showOnce);
  }

  @Operation('routes.get')
  async get(@Call() call: ApiCall, @uuidParam('route_id') id: string): Promise<ApiResponse> {
    const row = await this.endpoints.get(ROUTE, { principal: call.principal, action: 'read', id });
    return apiResponse(200, routeResource(row));
  }

  @Operation('routes.update')
  async update(
    @Call() call: ApiCall,
    @uuidParam('route_id') id: string,
    @Body(body(UpdateRouteBody, RULES)) input: UpdateRouteBody,
  ): Promise<ApiResponse> {
    const row = await this.change.execute({ principal: call.principal, id, input });
    return apiResponse(200, routeResource(row));
  }

  @Operation('routes.delete')
  async delete(@Call() call: ApiCall, @uuidParam('route_id') id: string): Promise<ApiResponse> {
    await this.deletion.execute(ROUTE, { principal: call.principal, id });
    return apiResponse(200, { message: 'route deleted successfully' });
  }

  @Operation('routes.trigger')
  async trigger(
    @Call() call: ApiCall,
    @uuidParam('route_id') id: string,
    @Body(optionalBody(TriggerRouteBody)) _body: object,
  ): Promise<ApiResponse> {
    await this.sample.execute({ principal: call.principal, id });
    return apiResponse(202, { message: 'sample message queued' });
  }
}

/** The only response with the signing secret. */
function showOnce({ endpoint, secret }: CreatedRoute): ApiResponse {
  const shown: NewRouteResource = { ...routeResource(endpoint), secret };
  return apiResponse(201, shown, { secret: true });
}
