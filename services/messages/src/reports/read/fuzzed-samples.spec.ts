import fc from 'fast-check';
import { expect, it } from 'vitest';
import { judgeReport } from './judge-report.rules.js';
import { readReport } from './read-report.js';
import { SAMPLE_KEY, SAMPLE_RECIPIENT, SAMPLE_RECORD, SAMPLES } from './testing/samples.js';

const RUNS = Number(process.env['FUZZ_RUNS'] ?? 2_000);

const CONTEXT = { keys: [SAMPLE_KEY] };
const samples = fc.constantFrom(...SAMPLES.values());
/** Hostile insertions at a random place. */
const SPLICES = [
  '\r\n',
  '\n\n',
  '--=_report-boundary',
  '--=_report-boundary--',
  'Content-Type: message/rfc822\r\n\r\n',
  'Content-Type: multipart/report; boundary="=_report-boundary"\r\n\r\n',
  'Content-Transfer-Encoding: base64\r\n',
  'Content-Type: text/plain; charset=utf-16\r\n',
  'Final-Recipient: rfc822; ',
  '=?utf-8?B?////?=',
  '\0',
  '"',
  ':',
  '<',
  '@',
  '\u00ff',
].map((text) => Buffer.from(text, 'latin1'));

type Change = (bytes: Buffer) => Buffer;
const place = fc.double({ min: 0, max: 1, noNaN: true });
const at = (bytes: Buffer, part: number): number => Math.floor(part * bytes.length);

const change: fc.Arbitrary<Change> = fc.oneof(
  place.map(
    (end): Change =>
      (bytes) =>
        bytes.subarray(0, at(bytes, end)),
  ),
  place.map(
    (from): Change =>
      (bytes) =>
        bytes.subarray(at(bytes, from)),
  ),
  fc.tuple(place, fc.nat(255)).map(([where, byte]): Change => {
    return (bytes) => {
      const changed = Buffer.from(bytes);
      if (changed.length > 0) changed[Math.min(at(bytes, where), bytes.length - 1)] = byte;
      return changed;
    };
  }),
  fc
    .tuple(place, fc.oneof(fc.constantFrom(...SPLICES), fc.uint8Array({ maxLength: 20 })))
    .map(([where, piece]): Change => {
      return (bytes) =>
        Buffer.concat([bytes.subarray(0, at(bytes, where)), piece, bytes.subarray(at(bytes, where))]);
    }),
  fc.tuple(place, place, place).map(([from, to, where]): Change => {
    return (bytes) => {
      const piece = bytes.subarray(at(bytes, Math.min(from, to)), at(bytes, Math.max(from, to)));
      return Buffer.concat([bytes.subarray(0, at(bytes, where)), piece, bytes.subarray(at(bytes, where))]);
    };
  }),
  samples.map(
    (other): Change =>
      (bytes) =>
        Buffer.concat([bytes, other]),
  ),
);
const fuzzed = fc
  .tuple(samples, fc.array(change, { minLength: 1, maxLength: 6 }))
  .map(([bytes, changes]) => changes.reduce((changed, each) => each(changed), bytes));

it('a damaged report is read, the same way each time', () => {
  fc.assert(
    fc.property(
      fc.oneof({ weight: 9, arbitrary: fuzzed }, fc.uint8Array({ maxLength: 500 }).map(Buffer.from)),
      (raw) => {
        const report = readReport(raw, CONTEXT);
        expect(readReport(Buffer.from(raw), CONTEXT)).toEqual(report);
        const verdict = judgeReport(report, { recipient: SAMPLE_RECIPIENT });
        if (verdict.means === 'bounce') expect(verdict.reply.smtpCode).toBeGreaterThanOrEqual(500);
        expect(report.tokens.every(({ recordId }) => recordId === SAMPLE_RECORD)).toBe(true);
      },
    ),
    { numRuns: RUNS },
  );
});
