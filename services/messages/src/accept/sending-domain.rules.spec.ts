import { describe, expect, it } from 'vitest';
import type { Principal } from '@postmesh/contracts';
import { requireSenderScope } from './sending-domain.rules.js';

const holder = (...scopes: string[]) => ({ scopes }) as unknown as Principal;
const from = (email: unknown) => ({ from: { email } });

describe('§4.3 rule 10 the answer to a send is replayed', () => {
  it.each([
    ['to *', ['*'], from('a@shop.test')],
    ['to :all', ['messages:send:all'], from('a@shop.test')],
    ['to a key of the sender', ['messages:send:{shop.test}'], from(' A@SHOP.test ')],
    ['to anybody when there was no sender', [], from(7)],
    ['to anybody when the sender was no address', [], from('shop')],
    ['to anybody when there was no body', [], undefined],
  ])('%s', (_what, scopes, body) => expect(() => requireSenderScope(holder(...scopes), body)).not.toThrow());

  it.each([['messages:send:{other.test}'], ['messages:read:all'], ['messages:send:{mail.shop.test}']])(
    'not to a key with %s',
    (scope) => {
      expect(() => requireSenderScope(holder(scope), from('a@shop.test'))).toThrow(
        "this api key is not authorized to send messages from the domain 'shop.test'",
      );
    },
  );
});
