import { describe, expect, it } from 'vitest';
import { recordId, oneLine, readSystemSender, waitAfter } from './system-mail.rules.js';

describe('the sender of system mail', () => {
  it.each([
    [undefined, { mailbox: { email: 'no-reply@svc.test', name: 'Postmesh' }, domain: 'svc.test' }],
    ['Ann <Ann@Shop.test>', { mailbox: { email: 'ann@shop.test', name: 'Ann' }, domain: 'shop.test' }],
    [' "Ann, B" <a@b.test> ', { mailbox: { email: 'a@b.test', name: 'Ann, B' }, domain: 'b.test' }],
    ['<a@b.test>', { mailbox: { email: 'a@b.test' }, domain: 'b.test' }],
    ['a@b.test', { mailbox: { email: 'a@b.test' }, domain: 'b.test' }],
    ['a@bücher.test', { mailbox: { email: 'a@xn--bcher-kva.test' }, domain: 'xn--bcher-kva.test' }],
  ])('%j', (setting, sender) => expect(readSystemSender(setting, 'svc.test')).toEqual(sender));

  it.each(['', 'nobody', 'Ann <>', 'Ann <a@b.test', 'a@b.test, c@d.test', 'jürgen@b.test', '<a@b.test> x'])(
    'cannot be %j, and the error names the setting',
    (setting) => expect(() => readSystemSender(setting, 'svc.test')).toThrow('POSTMESH_SYSTEM_SENDER'),
  );
});

describe('a system message', () => {
  it('has one id per message and recipient', () => {
    const id = recordId({ mail_id: 'm', recipient: 'a@b.test' });
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(recordId({ mail_id: 'm', recipient: 'a@b.test' })).toBe(id);
    expect(recordId({ mail_id: 'm', recipient: 'c@b.test' })).not.toBe(id);
    expect(recordId({ mail_id: 'n', recipient: 'a@b.test' })).not.toBe(id);
  });

  it('starts no header of its own, with any name of an account', () => {
    expect(oneLine('Hello\r\nBcc: x@y.test\u0000')).toBe('Hello Bcc: x@y.test');
  });

  it('that cannot be accepted waits longer each time, up to an hour', () => {
    expect([0, 1, 2, 20].map(waitAfter)).toEqual([10_000, 20_000, 40_000, 3_600_000]);
  });
});
