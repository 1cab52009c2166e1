import { Poison, Transient } from '@postmesh/contracts';
import { describe, expect, it } from 'vitest';
import { isBeyondEnd, isMissing, isPassing } from './s3-failure.rules.js';

const failure = (name: string, httpStatusCode?: number) =>
  Object.assign(new Error(name), { name, $metadata: { httpStatusCode } });

describe('an error of an S3 server', () => {
  it.each([
    ['NoSuchKey', 404, true, false],
    ['NotFound', 404, true, false],
    ['NoSuchBucket', 404, false, false],
    ['AccessDenied', 403, false, false],
    ['SignatureDoesNotMatch', 403, false, false],
    ['SlowDown', 503, false, true],
    ['RequestTimeout', 400, false, true],
    ['TooManyRequests', 429, false, true],
    ['InternalError', 500, false, true],
    ['NotImplemented', 501, false, false],
    ['AbortError', undefined, false, true],
  ])('%s with %s: missing %s, passing %s', (name, status, missing, passing) => {
    const error = failure(name, status);
    expect([isMissing(error), isPassing(error)]).toEqual([missing, passing]);
  });

  it('416 is beyond the end, nothing else is', () => {
    const errors = [failure('InvalidRange', 416), failure('NoSuchKey', 404), new Error('reset')];
    expect(errors.map(isBeyondEnd)).toEqual([true, false, false]);
  });

  it('a broken connection is temporary; classified errors and bugs are not', () => {
    expect(isPassing(Object.assign(new Error('reset'), { code: 'ECONNRESET' }))).toBe(true);
    expect([new Transient('x'), new Poison('x'), new TypeError('x')].map(isPassing)).toEqual([
      false,
      false,
      false,
    ]);
  });
});
