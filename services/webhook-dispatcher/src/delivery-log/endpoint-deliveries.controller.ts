import { Body, Controller, Query } from '@nestjs/common';
import { apiResponse, mayReadContents, type ApiResponse } from '@postmesh/contracts';
import { parsePageQuery, type PageQuery } from '@postmesh/http';
import { body, Call, Operation, query, uuidParam, type ApiCall } from '@postmesh/service-host';
import type { z } from 'zod';
import { ReplayDeliveries } from '../replay/replay-deliveries.js';
import { replayResource, type ReplayBody, ReplayBody as Wanted } from '../replay/replay.schema.js';
import { Replays } from '../replay/replays.js';
import { EndpointDeliveries } from './endpoint-deliveries.js';
import { CallFilter, deliveryDetail, DeliveryFilter, deliveryResource } from './endpoint-delivery.schema.js';
import { OwnedEndpoints } from './owned-endpoints.js';

/** The calls of a webhook or a route for the members of its account, and their repetition (spec 2-messages §18 rule 13). */
@Controller()
export class EndpointDeliveriesController {
  constructor(
    private readonly owned: OwnedEndpoints,
    private readonly deliveries: EndpointDeliveries,
    private readonly replayOne: ReplayDeliveries,
    private readonly replays: Replays,
  ) {}

  @Operation('endpoint-deliveries.list')
  async list(
    @Call() { accountId }: ApiCall,
    @uuidParam('endpoint_id') endpointId: string,
    @Query(query(parsePageQuery, DeliveryFilter))
    [page, { state }]: [PageQuery, z.infer<typeof DeliveryFilter>],
  ): Promise<ApiResponse> {
    await this.owned.require(accountId, endpointId);
    const found = await this.deliveries.page({ accountId, endpointId }, state, page);
    return apiResponse(200, { ...found, data: found.data.map(deliveryResource) });
  }

  @Operation('message-calls.list')
  async ofMessage(
    @Call() { accountId }: ApiCall,
    @Query(query(CallFilter)) { message_id }: z.infer<typeof CallFilter>,
  ): Promise<ApiResponse> {
    const found = await this.deliveries.ofMessage(accountId, message_id);
    return apiResponse(200, { object: 'list', data: found.map(deliveryResource) });
  }

  @Operation('endpoint-deliveries.get')
  async get(
    @Call() { accountId, principal }: ApiCall,
    @uuidParam('endpoint_id') endpointId: string,
    @uuidParam('delivery_id') id: string,
  ): Promise<ApiResponse> {
    await this.owned.require(accountId, endpointId);
    const [row, tries] = await this.deliveries.one({ accountId, endpointId }, id);
    return apiResponse(200, deliveryDetail(row, tries, mayReadContents(principal)));
  }

  @Operation('endpoint-deliveries.replay')
  async replay(
    @Call() { accountId }: ApiCall,
    @uuidParam('endpoint_id') endpointId: string,
    @uuidParam('delivery_id') id: string,
  ): Promise<ApiResponse> {
    await this.owned.requireEnabled(accountId, endpointId);
    await this.deliveries.one({ accountId, endpointId }, id);
    return apiResponse(202, { delivery_id: await this.replayOne.one(id), replay_of: id });
  }

  @Operation('endpoint-replays.create')
  async recover(
    @Call() { accountId }: ApiCall,
    @uuidParam('endpoint_id') endpointId: string,
    @Body(body(Wanted)) wanted: ReplayBody,
  ): Promise<ApiResponse> {
    await this.owned.requireEnabled(accountId, endpointId);
    return apiResponse(202, replayResource(await this.replays.start({ ...wanted, endpoint_id: endpointId })));
  }

  @Operation('endpoint-replays.list')
  async tasks(
    @Call() { accountId }: ApiCall,
    @uuidParam('endpoint_id') endpointId: string,
  ): Promise<ApiResponse> {
    await this.owned.require(accountId, endpointId);
    const found = await this.replays.list(endpointId);
    return apiResponse(200, { object: 'list', data: found.map(replayResource) });
  }

  @Operation('endpoint-replays.get')
  async task(
    @Call() { accountId }: ApiCall,
    @uuidParam('endpoint_id') endpointId: string,
    @uuidParam('replay_id') id: string,
  ): Promise<ApiResponse> {
    await this.owned.require(accountId, endpointId);
    return apiResponse(200, replayResource(await this.replays.one(id, endpointId)));
  }
}
