import { beforeEach, describe, expect, it } from 'vitest';
import { ApiError } from '@postmesh/contracts';
import { InternalClient, ServiceDirectory, ServiceTokens, type InternalRequest } from '@postmesh/http';
import { createLogger } from '@postmesh/observability';
import { OperatorAudit } from './operator-audit.js';
import type { OperatorRequest } from './operator-server.js';

const ID = '0b6f4a52-7c1d-4e0f-8a39-61b2c7d8e9f0';
const happened: unknown[] = [];
let answers: (request: InternalRequest) => number = () => 201;

function audit(): OperatorAudit {
  const directory = new ServiceDirectory({});
  directory.addLocal('accounts', {
    route: () => undefined,
    inject: async (request) => {
      happened.push([request.path, request.body]);
      return { status: answers(request), headers: {}, bytes: Buffer.from(JSON.stringify({ id: ID })) };
    },
  });
  const client = new InternalClient(directory, new ServiceTokens([Buffer.alloc(32)], 'gateway'));
  return new OperatorAudit(client, createLogger({ logLevel: 'silent' }, 'test'));
}

const request: OperatorRequest = {
  operator: 'oncall',
  method: 'POST',
  path: 'jobs/retry',
  rest: '',
  query: new URLSearchParams(),
  body: undefined,
};
const done = async () => {
  happened.push('done');
  return { status: 202, body: {} };
};
const ENTRY = [
  '/internal/audit',
  {
    operator: 'oncall',
    action: 'POST jobs/retry',
    account_id: null,
    subject_id: null,
    details: { path: 'jobs/retry' },
  },
];
const ended = (status: number) => [`/internal/audit/${ID}/outcome`, { status }];

describe('an action in a service without an audit', () => {
  beforeEach(() => {
    happened.length = 0;
    answers = () => 201;
  });

  it('has an audit entry before it is done, and its outcome after', async () => {
    expect(await audit().around(done, () => true)(request)).toEqual({ status: 202, body: {} });
    expect(happened).toEqual([ENTRY, 'done', ended(202)]);
  });

  it('is not done when the entry cannot be written', async () => {
    answers = () => 500;
    const refused = audit().around(done, () => true)(request);
    await expect(refused).rejects.toEqual(new ApiError(503, 'nothing was done: the audit cannot be written'));
    expect(happened).toEqual([ENTRY]);
  });

  it('has an audit entry also when it fails', async () => {
    const refusing = audit().around(
      () => Promise.reject(new ApiError(409, 'no')),
      () => true,
    );
    await expect(refusing(request)).rejects.toThrow('no');
    const breaking = audit().around(
      () => Promise.reject(new Error('broken')),
      () => true,
    );
    await expect(breaking(request)).rejects.toThrow('broken');
    expect(happened).toEqual([ENTRY, ended(409), ENTRY, ended(500)]);
  });

  it('remains valid when its outcome cannot be written', async () => {
    answers = ({ path }) => (path.endsWith('/outcome') ? 503 : 201);
    expect(await audit().around(done, () => true)(request)).toEqual({ status: 202, body: {} });
  });

  it('has no entry for a read, or when the service keeps its own audit', async () => {
    await audit().around(done, () => true)({ ...request, method: 'GET' });
    await audit().around(done, () => false)(request);
    expect(happened).toEqual(['done', 'done']);
  });
});
