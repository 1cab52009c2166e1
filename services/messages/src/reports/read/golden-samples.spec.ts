import { describe, expect, it } from 'vitest';
import { judgeReport } from './judge-report.rules.js';
import { readReport } from './read-report.js';
import { reencode, withBareLineFeeds } from './testing/reencode.js';
import { SAMPLE_KEY, SAMPLE_RECIPIENT, SAMPLES } from './testing/samples.js';

function outcomeOf(raw: Buffer) {
  const report = readReport(raw, { keys: [SAMPLE_KEY] });
  return { verdict: judgeReport(report, { recipient: SAMPLE_RECIPIENT }), report };
}

describe.each([...SAMPLES])('the sample %s', (name, raw) => {
  it('is read as in its expectation file', async () => {
    await expect(`${JSON.stringify(outcomeOf(raw), null, 2)}\n`).toMatchFileSnapshot(`golden/${name}.json`);
  });

  it.each([
    ['in quoted-printable', reencode(raw, 'quoted-printable')],
    ['in base64', reencode(raw, 'base64')],
    ['with bare line feeds', withBareLineFeeds(raw)],
  ])('is the same %s', (_how, changed) => {
    expect(outcomeOf(changed)).toEqual(outcomeOf(raw));
  });
});

it('most samples change when they are encoded again', () => {
  const changed = [...SAMPLES.values()].filter((raw) => !reencode(raw, 'base64').equals(raw));
  expect(changed.length).toBeGreaterThan(80);
});
