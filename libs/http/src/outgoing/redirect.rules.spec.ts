import { describe, expect, it } from 'vitest';
import { readRedirect, type Redirect } from './redirect.rules.js';

const redirect = (change: Partial<Omit<Redirect, 'from'>> & { from?: string }) =>
  readRedirect({
    status: 307,
    location: '/b',
    followed: 0,
    ...change,
    from: new URL(change.from ?? 'https://u:p@shop.test/a'),
  });
const urlOf = (found: ReturnType<typeof redirect>) => (found?.kind === 'follow' ? found.url.href : found);

describe('a redirect', () => {
  it.each([301, 302, 307, 308])('spec 2-messages §18 rule 5: %i is followed', (status) =>
    expect(redirect({ status })?.kind).toBe('follow'),
  );
  it.each([200, 204, 300, 303, 304, 305, 306, 309, 400])('spec 2-messages §18 rule 5: %i is not', (status) =>
    expect(redirect({ status })).toBeUndefined(),
  );

  it('spec 2-messages §18 rule 5: is followed three times in a row, not a fourth time', () => {
    expect(redirect({ followed: 2 })?.kind).toBe('follow');
    expect(redirect({ followed: 3 })).toEqual({ kind: 'refused', trouble: 'too-many-redirects' });
  });

  it('spec 2-messages §18 rule 5: never leads from https to http', () => {
    expect(redirect({ location: 'http://shop.test/b' })).toEqual({
      kind: 'refused',
      trouble: 'to-plain-http',
    });
    expect(urlOf(redirect({ from: 'http://shop.test/', location: 'https://shop.test/b' }))).toBe(
      'https://shop.test/b',
    );
    expect(urlOf(redirect({ from: 'http://shop.test/', location: 'http://b.test/' }))).toBe('http://b.test/');
  });

  it.each([undefined, '', 'ftp://shop.test/', 'javascript:alert(1)', 'http://', '//999.1.1.1/', 'data:,x'])(
    'to %j leads nowhere',
    (location) => expect(redirect({ location })).toEqual({ kind: 'refused', trouble: 'no-target' }),
  );

  it('keeps the name and password of the URL to its own origin', () => {
    expect(urlOf(redirect({}))).toBe('https://u:p@shop.test/b');
    expect(urlOf(redirect({ location: 'https://x@shop.test/b' }))).toBe('https://x@shop.test/b');
    expect(urlOf(redirect({ location: 'https://shop.test:8443/b' }))).toBe('https://shop.test:8443/b');
    expect(urlOf(redirect({ location: '//other.test/b' }))).toBe('https://other.test/b');
  });
});
