import { describe, expect, it } from 'vitest';
import { isFromConsole, sessionSecret } from './console-request.rules.js';

const HOST = 'mail.example:8080';
const OWN = 'https://mail.example';

describe('a request of the console', () => {
  it.each([
    ['POST', { origin: `http://${HOST}`, 'sec-fetch-site': 'same-origin' }, true],
    ['DELETE', { origin: `https://${HOST}`, 'sec-fetch-site': 'same-origin' }, true],
    // behind a proxy that changes the host
    ['PUT', { origin: OWN, 'sec-fetch-site': 'same-origin' }, true],
    ['POST', { origin: `http://${HOST}` }, false],
    ['POST', { 'sec-fetch-site': 'same-origin' }, false],
    ['POST', { origin: `http://${HOST}`, 'sec-fetch-site': 'same-site' }, false],
    ['POST', { origin: `http://${HOST}`, 'sec-fetch-site': 'cross-site' }, false],
    ['POST', { origin: `http://${HOST}`, 'sec-fetch-site': 'none' }, false],
    ['POST', { origin: 'http://mail.example', 'sec-fetch-site': 'same-origin' }, false],
    ['POST', { origin: 'http://mail.example:8080.evil.test', 'sec-fetch-site': 'same-origin' }, false],
    ['POST', { origin: `http://evil.test/${HOST}`, 'sec-fetch-site': 'same-origin' }, false],
    ['POST', { origin: 'null', 'sec-fetch-site': 'same-origin' }, false],
    ['GET', {}, true],
    ['GET', { 'sec-fetch-site': 'same-origin' }, true],
    ['GET', { 'sec-fetch-site': 'none' }, true],
    ['GET', { 'sec-fetch-site': 'same-site' }, false],
    ['GET', { 'sec-fetch-site': 'cross-site' }, false],
    ['OPTIONS', {}, false],
  ])('%s %j: %s', (method, headers, is) =>
    expect(isFromConsole(method, { host: HOST, ...headers }, OWN)).toBe(is),
  );
});

describe('the secret of a session', () => {
  const secret = 'a1B2'.repeat(16);
  it.each([
    [`__Host-postmesh-session=${secret}`, secret],
    [`theme=dark; __Host-postmesh-session=${secret}; a=b`, secret],
    [undefined, undefined],
    ['', undefined],
    [`postmesh-session=${secret}`, undefined],
    [`__host-postmesh-session=${secret}`, undefined],
    [`__Host-postmesh-session=${secret}; __Host-postmesh-session=${secret}`, undefined],
    [`__Host-postmesh-session=${secret}x`, undefined],
    ['__Host-postmesh-session=pm-sk-1', undefined],
    ['__Host-postmesh-session', undefined],
  ])('of %j is %j', (cookie, found) =>
    expect(sessionSecret(cookie === undefined ? {} : { cookie })).toBe(found),
  );
});
