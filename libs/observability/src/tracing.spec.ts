import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { createLogger, startTracing } from './index.js';

const logger = createLogger({ logLevel: 'silent' }, 'test');

const isLoaded = () =>
  Object.keys(createRequire(import.meta.url).cache).some((path) => path.includes('@opentelemetry/sdk-trace'));

describe('tracing', () => {
  it('that is off creates no span and does not load OpenTelemetry', async () => {
    const tracer = (await startTracing({ tracesPerThousand: 0 }, logger)).of('gateway');
    expect(tracer.begin('messages.send', 'server')).toBeUndefined();
    expect(tracer.follow(`00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`, 'x', 'server')).toBeUndefined();
    expect(isLoaded()).toBe(false);
    const tracing = await startTracing({ tracesPerThousand: 1 }, logger);
    expect(isLoaded()).toBe(true);
    await tracing.stop();
  });

  it('follows only a valid traceparent of a sampled step', async () => {
    const tracing = await startTracing({ tracesPerThousand: 1_000 }, logger);
    const tracer = tracing.of('messages');
    const trace = 'a1'.repeat(16);
    const step = tracer.follow(`00-${trace}-${'b2'.repeat(8)}-01`, 'step', 'consumer');
    expect(step?.traceparent).toMatch(new RegExp(`^00-${trace}-[0-9a-f]{16}-01$`));
    for (const other of [
      null,
      undefined,
      '',
      'nonsense',
      `00-${trace}-${'b2'.repeat(8)}-00`,
      `01-${trace}-b2-01`,
    ])
      expect(tracer.follow(other, 'step', 'consumer')).toBeUndefined();
    await tracing.stop();
  });

  it('is decided at the first step, for the configured share', async () => {
    const tracing = await startTracing({ tracesPerThousand: 500 }, logger);
    const tracer = tracing.of('gateway');
    const begun = Array.from({ length: 2_000 }, () => tracer.begin('messages.send', 'server'));
    const traced = begun.filter((span) => span !== undefined).length;
    // five standard deviations of 22 around a half
    expect(traced).toBeGreaterThan(880);
    expect(traced).toBeLessThan(1_120);
    await tracing.stop();
  });
});
