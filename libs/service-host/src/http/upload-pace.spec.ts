import { expect, it } from 'vitest';
import { judgePace, type UploadProgress } from './upload-pace.js';

const LIMITS = { stallMs: 10_000, minBytesPerSecond: 1_024 };
const KIB = 1_024;

it.each<[string, Partial<UploadProgress>, ReturnType<typeof judgePace>]>([
  ['has just begun', { spanMs: 1_000, bytesInSpan: 0 }, undefined],
  ['stands still', { spanMs: 10_000, bytesInSpan: 0 }, 'stalled'],
  ['brings a byte at a time', { spanMs: 10_000, bytesInSpan: 10 * KIB - 1 }, 'stalled'],
  ['is slow and steady', { spanMs: 10_000, bytesInSpan: 10 * KIB }, undefined],
  ['is slow and steady for minutes', { ageMs: 200_000, spanMs: 10_000, bytesInSpan: 10 * KIB }, undefined],
  ['stalls while others wait', { spanMs: 5_000, isWaitedFor: true }, 'keeps others out'],
  ['is fast while others wait', { spanMs: 5_000, bytesInSpan: 5_000 * KIB, isWaitedFor: true }, undefined],
  ['stalls and may', { spanMs: 10_000, mayStall: true }, undefined],
  [
    'takes too long while others wait',
    { ageMs: 21_000, bytesInSpan: KIB, isWaitedFor: true },
    'keeps others out',
  ],
])('an upload that %s', (_how, progress, verdict) => {
  const whole = { ageMs: 1_000, spanMs: 0, bytesInSpan: 0, isWaitedFor: false, mayStall: false, ...progress };
  expect(judgePace(whole, LIMITS)).toBe(verdict);
});
