import { describe, expect, it } from 'vitest';
import { validatingResolvers } from './validating-resolvers.rules.js';

const texts = (used: string[], named: string[] = []) =>
  validatingResolvers(used, named).map(({ host, port }) => `${host} ${port}`);

describe('resolvers whose AD flag is trusted', () => {
  it('are those on loopback', () => {
    expect(texts(['127.0.0.1', '192.0.2.53', '127.0.0.53:5353', '::1', '[::1]:54', '1.1.1.1'])).toEqual([
      '127.0.0.1 53',
      '127.0.0.53 5353',
      '::1 53',
      '::1 54',
    ]);
    expect(texts(['192.0.2.53', '2001:db8::1', '[2001:db8::1]:53'])).toEqual([]);
  });

  it('or, instead, those that the operator names', () => {
    expect(texts(['127.0.0.1'], ['10.0.0.53', '[2001:db8::53]:5353'])).toEqual([
      '10.0.0.53 53',
      '2001:db8::53 5353',
    ]);
  });

  it('or none', () => {
    expect(texts(['127.0.0.1'], ['off'])).toEqual([]);
    expect(() => texts([], ['off', '10.0.0.53'])).toThrow('is no ip');
  });

  it.each(['resolver.test', '10.0.0.53:0', '10.0.0.53:70000', '', 'a:b:c'])('%j is none', (text) =>
    expect(() => texts([], [text])).toThrow('is no ip'),
  );
});
