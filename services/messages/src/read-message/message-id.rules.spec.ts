import { describe, expect, it } from 'vitest';
import { readMessageReference } from './message-id.rules.js';

const ID = '01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a01';

describe('the message_id of a path (spec 2-messages §2.2)', () => {
  it.each([
    [ID, { id: ID, host: undefined }],
    [ID.toUpperCase(), { id: ID, host: undefined }],
    [`<${ID}@Shop.test>`, { id: ID, host: 'shop.test' }],
    [`${ID}@shop.test`, { id: ID, host: 'shop.test' }],
    ['nonsense', undefined],
    ['<a@b>', undefined],
    ['', undefined],
  ])('%j', (text, expected) => {
    expect(readMessageReference(text)).toEqual(expected);
  });
});
