import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SAMPLES } from './signature-samples';

const guide = readFileSync(new URL('../../../../docs/guides/webhooks.md', import.meta.url), 'utf8');
const programs = [...guide.matchAll(/^```\w+ file=\S+\n([\s\S]*?)\n```$/gm)].map(([, text]) => text);

describe('the samples that verify signatures', () => {
  it('are the programs of the guide, whose test runs them', () => {
    expect(SAMPLES.map(({ text }): string => text)).toEqual(programs);
  });
});
