import { describe, expect, it } from 'vitest';
import { describeTrouble } from './call-trouble.rules.js';
import { NameNotResolved, TargetRefused } from './guarded-connector.js';

const coded = (code: string) => Object.assign(new Error('x'), { code });

describe('the failure of a call', () => {
  it.each([
    [new TargetRefused('a.test'), 'address-refused', 'Error'],
    [new NameNotResolved('a.test', 'ENOTFOUND'), 'name-not-resolved', 'ENOTFOUND'],
    [new NameNotResolved('a.test', 'ETIMEOUT'), 'name-not-resolved', 'ETIMEOUT'],
    [coded('ECONNREFUSED'), 'connection-failed', 'ECONNREFUSED'],
    [coded('UND_ERR_SOCKET'), 'connection-failed', 'UND_ERR_SOCKET'],
    [coded('UND_ERR_CONNECT_TIMEOUT'), 'timeout', 'UND_ERR_CONNECT_TIMEOUT'],
    [coded('ETIMEDOUT'), 'timeout', 'ETIMEDOUT'],
    [new DOMException('late', 'TimeoutError'), 'timeout', 'TimeoutError'],
    [coded('CERT_HAS_EXPIRED'), 'tls-failed', 'CERT_HAS_EXPIRED'],
    [coded('ERR_TLS_CERT_ALTNAME_INVALID'), 'tls-failed', 'ERR_TLS_CERT_ALTNAME_INVALID'],
    [coded('HPE_INVALID_CONSTANT'), 'not-http', 'HPE_INVALID_CONSTANT'],
    [new AggregateError([coded('ECONNREFUSED'), coded('ENETUNREACH')]), 'connection-failed', 'ECONNREFUSED'],
    ['text', 'connection-failed', 'unknown'],
  ])('%s is %s', (error, trouble, code) => expect(describeTrouble(error)).toEqual({ trouble, code }));
});
