import { Module } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Controller } from '@nestjs/common';
import { apiResponse, type ApiResponse } from '@postmesh/contracts';
import { ApiCall, Call, Operation, type ServiceDefinition } from '@postmesh/service-host';
import { testDatabase } from '@postmesh/testing';
import { startTestService, type TestService } from './index.js';

@Controller()
class Sample {
  @Operation('members.list')
  async list(@Call() call: ApiCall): Promise<ApiResponse> {
    return apiResponse(200, { account: call.accountId, scopes: call.principal.scopes });
  }
}

@Module({ controllers: [Sample] })
class SampleModule {}

const SAMPLE: ServiceDefinition = {
  name: 'accounts',
  module: SampleModule,
  database: { entities: [], migrations: [] },
};

describe('a service under test', () => {
  const database = testDatabase();
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService(SAMPLE, { databaseUrl: database.url });
  });
  afterAll(() => service?.stop());

  it('is called as the gateway would call it', async () => {
    const path = `/v2/accounts/${service.accountId}/members`;
    const given = await service.call('GET', path, { scopes: ['accounts:members:read'] });
    expect([given.status, given.body]).toEqual([
      200,
      { account: service.accountId, scopes: ['accounts:members:read'] },
    ]);
    expect((await service.call('GET', path, { scopes: [] })).status).toBe(403);
    expect((await service.internal('GET', '/nowhere')).status).toBe(404);
  });
});
