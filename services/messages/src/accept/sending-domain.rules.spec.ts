import { describe, expect, it } from 'vitest';
import { apiResponse, type Principal } from '@postmesh/contracts';
import { requireSenderScope, requireTemplateSenderScope } from './sending-domain.rules.js';

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

describe('§4.3 rule 10 the answer to a template send without a sender is replayed', () => {
  const result = (id: string | null) => ({
    object: 'message',
    id,
    recipient: { email: 'x@y.test', name: '' },
    status: id === null ? 'error' : 'queued',
  });
  const sent = (...ids: (string | null)[]) => apiResponse(202, { object: 'list', data: ids.map(result) });
  const replay = (scopes: string[], stored: ReturnType<typeof sent>, body: unknown = {}) =>
    requireTemplateSenderScope(holder(...scopes), body, stored);
  const shop = ['messages:send:{shop.test}'];
  const other = ['messages:send:{other.test}'];
  const refusedShop = "this api key is not authorized to send messages from the domain 'shop.test'";

  it('to a key of the domain that it was sent from', () => {
    expect(() => replay(shop, sent(null, '<1@shop.test>'))).not.toThrow();
    expect(() => replay(other, sent(null, '<1@shop.test>'))).toThrow(refusedShop);
    expect(() => replay([], sent('<1@shop.test>'))).toThrow(refusedShop);
  });

  it('to a key that may send at all, when nothing was sent', () => {
    for (const stored of [sent(null), apiResponse(404, { message: 'template not found' })]) {
      expect(() => replay(other, stored)).not.toThrow();
      expect(() => replay(['messages:read:all'], stored)).toThrow(
        'this api key is not authorized to send messages',
      );
    }
  });

  it('by the sender of the request where there is one', () => {
    expect(() => replay(other, sent(null), from('a@shop.test'))).toThrow(refusedShop);
    expect(() => replay(shop, sent('<1@shop.test>'), from('a@shop.test'))).not.toThrow();
  });
});
