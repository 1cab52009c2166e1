import { describe, expect, it } from 'vitest';
import { loggedPath, loggedText, messageOf, withoutSecret } from './refused-request.rules.js';

describe('the path of a refused request', () => {
  it.each([
    ['/v2/ping', '/v2/ping'],
    ['/v2/ping?', '/v2/ping?…'],
    ['/v2/messages?limit=0&recipient=ann@mail.test', '/v2/messages?limit=…&recipient=…'],
    ['/v2/messages?pm-sk-abc', '/v2/messages?…'],
    ['/v2/messages?pm-sk-abc=1&&a=b=c', '/v2/messages?…&…&a=…'],
  ])('%s is stored as %s', (url, path) => {
    expect(loggedPath(url)).toBe(path);
  });

  it('names a bounded number of parameters', () => {
    expect(loggedPath(`/x?${'a=1&'.repeat(5_000)}`)).toBe(`/x?${Array(20).fill('a=…').join('&')}`);
  });
});

describe('the texts of a refused request', () => {
  it.each([
    ['bad limit', 400, 'bad limit'],
    [Buffer.from('{"message":"not now"}'), 409, 'not now'],
    [Buffer.from('{"error":1}'), 503, 'Service Unavailable'],
    [Buffer.from('null'), 500, 'Internal Server Error'],
    [undefined, 408, 'Request Timeout'],
    [undefined, 599, ''],
  ])('%s with %i has the message %j', (shown, status, message) => {
    expect(messageOf(shown, status)).toBe(message);
  });

  it('can be stored, in one line of bounded length', () => {
    expect(loggedText('a\u0000b\nc\ud800', 10)).toBe('a\ufffdb\ufffdc\ufffd');
    expect(loggedText('x'.repeat(600), 500)).toHaveLength(501);
    // half of a pair at the cut
    expect(loggedText(`${'x'.repeat(9)}😀`, 10)).toBe(`${'x'.repeat(9)}\ufffd…`);
  });

  it('never repeat the secret', () => {
    expect(withoutSecret('/v2/pm-sk-12345678/pm-sk-12345678', 'pm-sk-12345678')).toBe('/v2/…/…');
    expect(withoutSecret('/v2/a', 'a')).toBe('/v2/a');
    expect(withoutSecret('/v2/a', undefined)).toBe('/v2/a');
  });
});
