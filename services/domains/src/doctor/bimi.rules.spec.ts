import { expect, it } from 'vitest';
import { readDmarc } from '../dns/dmarc.rules.js';
import { NONE, unknown, type Lookup } from '../dns/dns-resolver.port.js';
import { judgeBimi, logoUrl, readBimi, type SeenBimi } from './bimi.rules.js';

const found = (...values: string[]): Lookup<string> => ({ kind: 'found', values });
const RECORD = 'v=BIMI1; l=https://shop.test/logo.svg; a=https://shop.test/vmc.pem';
const LOGO = {
  kind: 'found',
  contentType: 'image/svg+xml',
  text: '<svg xmlns="http://www.w3.org/2000/svg" version="1.2" baseProfile="tiny-ps" viewBox="0 0 9 9"><title>S</title></svg>',
} as const;
const dmarc = (tags: string) => readDmarc(found(`v=DMARC1; ${tags}`));

const seen = (change: Partial<SeenBimi> = {}): SeenBimi => ({
  domain: 'shop.test',
  host: 'default._bimi.shop.test',
  texts: found(RECORD),
  logo: LOGO,
  dmarc: dmarc('p=quarantine'),
  isInherited: false,
  ...change,
});

it.each([
  [{}, 'ok', 'are right'],
  [{ texts: NONE }, 'ok', 'optional'],
  [{ texts: found('v=BIMI1; l=; a=;') }, 'ok', 'no logo'],
  [{ texts: unknown('server failure') }, 'unknown', 'server failure'],
  [{ texts: found(RECORD, RECORD) }, 'fault', 'several'],
  [{ texts: found('v=BIMI1; nonsense') }, 'fault', 'not right'],
  [{ texts: found('v=BIMI1; l=http://shop.test/logo.svg') }, 'fault', 'no https address'],
  [{ logo: { kind: 'failed', reason: 'status 404' } }, 'fault', 'status 404'],
  [{ logo: { ...LOGO, text: '<html/>' } }, 'fault', 'no SVG Tiny Portable/Secure'],
  [{ dmarc: dmarc('p=none') }, 'fault', 'policy is none'],
  [{ dmarc: dmarc('p=reject; sp=none'), isInherited: true }, 'fault', 'policy is none'],
  [{ dmarc: dmarc('p=reject; pct=50') }, 'fault', '50 % alone'],
  [{ dmarc: readDmarc(NONE) }, 'fault', 'no DMARC policy'],
  [{ logo: { ...LOGO, contentType: 'text/plain' } }, 'warning', 'text/plain'],
  [{ texts: found('v=BIMI1; l=https://shop.test/logo.svg') }, 'warning', 'mark certificate'],
] as const)('%j: %s', (change, state, words) => {
  const judged = judgeBimi(seen(change as Partial<SeenBimi>));
  expect(judged.state).toBe(state);
  expect(judged.text).toContain(words);
});

it.each(['http://a.test/l.svg', 'https://u:p@a.test/l.svg', 'file:///etc/passwd', 'l.svg', ''])(
  'the logo at %s is not fetched',
  (url) => expect(logoUrl(readBimi(found(`v=BIMI1; l=${url}`)))).toBeUndefined(),
);
