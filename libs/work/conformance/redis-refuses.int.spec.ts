import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { failureKind } from '@postmesh/contracts';
import { createLogger } from '@postmesh/observability';
import { selfSignedCertificate } from '@postmesh/secrets';
import { freePort, realProgram } from '@postmesh/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createJobs } from '../src/periodic/jobs.js';

const program = realProgram('REDIS_SERVER', 'redis-server');
const PASSWORD = 'a-password';

describe.runIf(program !== undefined)('jobs on a Redis with a password and TLS', () => {
  let dir: string;
  let redis: ChildProcess;
  let plain: string;
  let secured: string;

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'postmesh-redis-'));
    const { key, cert } = selfSignedCertificate(['localhost']);
    await writeFile(join(dir, 'key.pem'), key);
    await writeFile(join(dir, 'cert.pem'), cert);
    const [port, tlsPort] = [await freePort(), await freePort()];
    const settings = `bind 127.0.0.1
      port ${port}
      tls-port ${tlsPort}
      tls-cert-file ${join(dir, 'cert.pem')}
      tls-key-file ${join(dir, 'key.pem')}
      tls-ca-cert-file ${join(dir, 'cert.pem')}
      tls-auth-clients no
      requirepass ${PASSWORD}
      maxmemory-policy noeviction
      save ""`;
    redis = spawn(program ?? '', ['-'], { cwd: dir, stdio: ['pipe', 'ignore', 'inherit'] });
    redis.stdin?.end(settings.replaceAll(/^ +/gm, ''));
    plain = `redis://127.0.0.1:${port}`;
    secured = `rediss://127.0.0.1:${tlsPort}`;
    // it is waited for, as by a service that starts with it
    await (await open(plain.replace('//', `//:${PASSWORD}@`))).close();
  });
  afterAll(async () => {
    redis?.kill('SIGKILL');
    await rm(dir, { recursive: true, force: true });
  });

  const said: string[] = [];
  const logger = Object.assign(Object.create(createLogger({ logLevel: 'silent' }, 'refused')), {
    warn: ({ event }: { event: string }) => void said.push(event),
  });
  const open = (redisUrl: string) => createJobs({ backend: { redisUrl }, prefix: 'refused', logger });

  it.each([
    ['no password', () => plain, /^Redis refuses: NOAUTH/],
    ['another password', () => plain.replace('//', '//:another@'), /^Redis refuses: WRONGPASS/],
    [
      'a database that it does not have',
      () => `${plain.replace('//', `//:${PASSWORD}@`)}/9999`,
      /^Redis refuses: ERR .*DB index/,
    ],
    ['a certificate without a known authority', () => secured, /self-signed certificate/],
  ])('fails its start at once with a readable error: %s', async (_, url, reason) => {
    said.length = 0;
    const failure = await open(url()).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(String((failure as Error | undefined)?.message)).toMatch(reason);
    expect(failureKind(failure)).not.toBe('transient');
    expect(said).toEqual([]);
  });
});
