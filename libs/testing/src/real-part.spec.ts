import { afterEach, describe, expect, it, vi } from 'vitest';
import { realPart } from './real-part.js';

afterEach(() => vi.unstubAllEnvs());

describe('a suite that meets a real part', () => {
  it('gets what was given', () => {
    expect(realPart('REDIS_URL', 'redis://x')).toBe('redis://x');
    expect(realPart('KAFKA_BROKERS', ['x:9092'])).toEqual(['x:9092']);
  });

  it.each([
    ['a laptop', '', '', false],
    ['CI that does not demand it', 'true', '', false],
    ['CI that demands it', 'true', '1', true],
  ])('that is missing on %s', (_where, ci, required, fails) => {
    vi.stubEnv('CI', ci);
    vi.stubEnv('POSTMESH_REQUIRE_REAL', required);
    const ask = () => realPart('KAFKA_BROKERS', []);
    if (fails) expect(ask).toThrow('KAFKA_BROKERS must be set');
    else expect(ask()).toBeUndefined();
  });
});
