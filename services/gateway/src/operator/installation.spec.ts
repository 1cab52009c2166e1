import { beforeEach, describe, expect, it } from 'vitest';
import { SERVICES } from '@postmesh/contracts';
import { InternalClient, ServiceDirectory, ServiceTokens } from '@postmesh/http';
import { installationJobs } from './installation.js';

const none = { waiting: 0, active: 0, delayed: 0, failed: 0 };
let answers: Record<string, Record<string, { status?: number; body: unknown }>>;

/** Services whose responses are in `answers`, by service and by method and path. */
function jobsOfServices() {
  const directory = new ServiceDirectory({});
  for (const service of SERVICES.filter((name) => name !== 'gateway')) {
    directory.addLocal(service, {
      route: () => undefined,
      inject: async ({ method, path }) => {
        const given = answers[service]?.[`${method} ${path}`] ?? DEFAULTS[`${method} ${path}`];
        return {
          status: given?.status ?? 200,
          headers: {},
          bytes: Buffer.from(JSON.stringify(given?.body ?? null)),
        };
      },
    });
  }
  return installationJobs(new InternalClient(directory, new ServiceTokens([Buffer.alloc(32)], 'gateway')));
}

const DEFAULTS: Record<string, { status?: number; body: unknown }> = {
  'GET /operator/jobs': { body: { queues: {} } },
  'GET /operator/jobs/failed': { body: { failed: [] } },
  'POST /operator/jobs/retry': { body: { retried: 0 } },
};

describe('the jobs of an installation', () => {
  beforeEach(() => {
    answers = {};
  });

  it('are those of every service', async () => {
    answers['messages'] = { 'GET /operator/jobs': { body: { queues: { 'messages.purge': none } } } };
    answers['delivery-worker'] = {
      'GET /operator/jobs': { body: { queues: { 'delivery-worker.prune': { ...none, failed: 1 } } } },
    };
    expect(await jobsOfServices().counts()).toEqual({
      'messages.purge': none,
      'delivery-worker.prune': { ...none, failed: 1 },
    });
  });

  it('that failed are listed for every service', async () => {
    const failed = (job: string) => ({ job, id: '1', reason: 'no' });
    const answer = (job: string) => ({ 'GET /operator/jobs/failed': { body: { failed: [failed(job)] } } });
    answers['messages'] = answer('messages.purge');
    answers['domains'] = answer('domains.recheck-due');
    const found = (await jobsOfServices().failed()).map(({ job }) => job);
    expect(found.toSorted()).toEqual(['domains.recheck-due', 'messages.purge']);
  });

  it('are retried in every service with failed jobs', async () => {
    answers['messages'] = { 'POST /operator/jobs/retry': { body: { retried: 2 } } };
    answers['webhooks'] = { 'POST /operator/jobs/retry': { body: { retried: 1 } } };
    expect(await jobsOfServices().retryFailed()).toBe(3);
  });

  it('are an error when a service is unavailable', async () => {
    answers['webhooks'] = { 'GET /operator/jobs/failed': { status: 503, body: { message: 'no' } } };
    await expect(jobsOfServices().failed()).rejects.toThrow(
      'the webhooks service cannot be asked for its jobs',
    );
  });
});
