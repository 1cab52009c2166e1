import { describe, expect, it } from 'vitest';
import { readMessageReference } from './message-id.rules.js';

const ID = '01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a01';

describe('the message_id of a path (spec 2-messages §2.2)', () => {
  it.each([
    [ID, { id: ID }],
    [ID.toUpperCase(), { id: ID }],
    [` ${ID} `, { id: ID }],
    [`<${ID}>`, { id: ID }],
    [`<${ID}@shop.test>`, { header: `<${ID}@shop.test>` }],
    [`${ID}@shop.test`, { header: `<${ID}@shop.test>` }],
    ['<any text@made by.a client>', { header: '<any text@made by.a client>' }],
    ['nonsense', undefined],
    ['@b', undefined],
    ['a@', undefined],
    ['a\0@b', undefined],
    [`${'a'.repeat(998)}@b`, undefined],
    ['', undefined],
  ])('%j', (text, expected) => {
    expect(readMessageReference(text)).toEqual(expected);
  });
});
