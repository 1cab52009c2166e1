import { afterEach, describe, expect, it, vi } from 'vitest';
import { realPart, realProgram } from './real-part.js';

afterEach(() => vi.unstubAllEnvs());

describe('a suite that meets a real part', () => {
  it('gets what was given', () => {
    expect(realPart('REDIS_URL', 'redis://x')).toBe('redis://x');
    expect(realPart('KAFKA_BROKERS', ['x:9092'])).toEqual(['x:9092']);
  });

  it.each([
    ['by a run that requires nothing', '', false],
    ['by a run that requires another one', 'REDIS_URL', false],
    ['by a run that requires it', 'REDIS_URL,KAFKA_BROKERS', true],
  ])('that is missing %s', (_what, required, fails) => {
    vi.stubEnv('POSTMESH_TEST_REQUIRES', required);
    const ask = () => realPart('KAFKA_BROKERS', []);
    if (fails) expect(ask).toThrow('KAFKA_BROKERS must be set');
    else expect(ask()).toBeUndefined();
  });

  it('is a program of this machine, but in the first tier, which is the same on every machine', () => {
    vi.stubEnv('ENV_PROGRAM', undefined);
    vi.stubEnv('POSTMESH_TEST_TIER', 'ci');
    expect(realProgram('ENV_PROGRAM', 'env')).toMatch(/\/env$/);
    vi.stubEnv('POSTMESH_TEST_TIER', 'first');
    expect(realProgram('ENV_PROGRAM', 'env')).toBeUndefined();
    vi.stubEnv('ENV_PROGRAM', '/opt/env');
    expect(realProgram('ENV_PROGRAM', 'env')).toBe('/opt/env');
  });
});
