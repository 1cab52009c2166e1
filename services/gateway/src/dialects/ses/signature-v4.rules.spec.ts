import { describe, expect, it } from 'vitest';
import { accessKeyOf, SignatureError, verifySignature } from './signature-v4.rules.js';

// The credential, the time and the results of the test suite that AWS publishes for Signature Version 4.
const SECRET = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';
const ID = 'AKIDEXAMPLE00000';
const NOW = new Date('2015-08-30T12:36:00Z');
const HOST = ['Host', 'example.amazonaws.com'];
const DATE = ['X-Amz-Date', '20150830T123600Z'];

interface Case {
  method?: string;
  url?: string;
  headers?: readonly string[];
  signed?: string;
  signature: string;
  body?: string;
  scope?: string;
}

function check(given: Case, now = NOW): void {
  const { method = 'GET', url = '/', headers = [...HOST, ...DATE], signed = 'host;x-amz-date' } = given;
  const scope = given.scope ?? '20150830/us-east-1/service/aws4_request';
  const authorization = `AWS4-HMAC-SHA256 Credential=${ID}/${scope}, SignedHeaders=${signed}, Signature=${given.signature}`;
  const request = { method, url, rawHeaders: [...headers, 'Authorization', authorization] };
  verifySignature(request, Buffer.from(given.body ?? ''), { secret: SECRET, service: 'service', now });
}

const VANILLA = { signature: '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31' };
const FORM = {
  method: 'POST',
  headers: ['Content-Type', 'application/x-www-form-urlencoded', ...HOST, ...DATE],
  signed: 'content-type;host;x-amz-date',
  body: 'Param1=value1',
  signature: 'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
};

const PUBLISHED: Readonly<Record<string, Case>> = {
  'get-vanilla': VANILLA,
  'get-vanilla-query-order-key-case': {
    url: '/?Param2=value2&Param1=value1',
    signature: 'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
  },
  'get-header-value-trim': {
    headers: [...HOST, 'My-Header1', ' value1', 'My-Header2', ' "a   b   c"', ...DATE],
    signed: 'host;my-header1;my-header2;x-amz-date',
    signature: 'acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736',
  },
  'post-vanilla': {
    method: 'POST',
    signature: '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b',
  },
  'post-x-www-form-urlencoded': FORM,
};

describe('Signature Version 4', () => {
  it.each(Object.entries(PUBLISHED))('%s of the published suite is accepted', (_, given) => {
    expect(() => check(given)).not.toThrow();
  });

  it.each<[string, Case, string]>([
    ['another body', { ...FORM, body: 'Param1=value2' }, 'does not match'],
    ['another path', { ...VANILLA, url: '/other' }, 'does not match'],
    ['another method', { ...VANILLA, method: 'PUT' }, 'does not match'],
    ['another query', { ...VANILLA, url: '/?a=b' }, 'does not match'],
    ['another host', { ...VANILLA, headers: ['Host', 'evil.test', ...DATE] }, 'does not match'],
    ['a second host', { ...VANILLA, headers: [...HOST, ...HOST, ...DATE] }, 'does not match'],
    ['another region', { ...VANILLA, scope: '20150830/eu-west-1/service/aws4_request' }, 'does not match'],
    ['another service', { ...VANILLA, scope: '20150830/us-east-1/s3/aws4_request' }, "service 'service'"],
    ['another day', { ...VANILLA, scope: '20150831/us-east-1/service/aws4_request' }, 'Date in Credential'],
    ['a host that is not signed', { ...VANILLA, signed: 'x-amz-date' }, 'host must be signed'],
    ['a date that is not signed', { ...VANILLA, signed: 'host' }, 'x-amz-date must be signed'],
    ['no date', { ...VANILLA, headers: HOST }, 'YYYYMMDD'],
    [
      'a hash of another body',
      { ...VANILLA, headers: [...HOST, ...DATE, 'X-Amz-Content-Sha256', '0'.repeat(64)] },
      'hash of x-amz-content-sha256',
    ],
    [
      'a body without a hash',
      { ...VANILLA, headers: [...HOST, ...DATE, 'X-Amz-Content-Sha256', 'UNSIGNED-PAYLOAD'] },
      'hash of x-amz-content-sha256',
    ],
    ['a signature of another length', { signature: '5fa0' }, 'not signed'],
  ])('with %s is refused', (_, given, message) => {
    expect(() => check(given)).toThrow(SignatureError);
    expect(() => check(given)).toThrow(message);
  });

  it('is good for five minutes around its time', () => {
    const after = (ms: number) => new Date(NOW.getTime() + ms);
    for (const ms of [-300_000, 300_000]) expect(() => check(VANILLA, after(ms))).not.toThrow();
    for (const ms of [-301_000, 301_000]) expect(() => check(VANILLA, after(ms))).toThrow('expired');
  });

  it('names its access key in one header alone', () => {
    const header = `AWS4-HMAC-SHA256 Credential=${ID}/20150830/us-east-1/ses/aws4_request, SignedHeaders=host, Signature=${VANILLA.signature}`;
    expect(accessKeyOf(['authorization', header])).toBe(ID);
    expect(accessKeyOf(['authorization', header, 'Authorization', header])).toBeUndefined();
    expect(accessKeyOf(['authorization', 'Bearer x'])).toBeUndefined();
    expect(accessKeyOf([])).toBeUndefined();
  });
});
