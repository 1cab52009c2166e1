import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { incompatibilities } from '../event-compatibility.mjs';

const recipient = {
  type: 'object',
  properties: { id: { type: 'string' }, email: { type: 'string' } },
  required: ['id', 'email'],
};
const version = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    size: { type: 'integer', minimum: 0 },
    state: { type: 'string', enum: ['active', 'paused'] },
    reason: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    recipients: { type: 'array', minItems: 1, items: recipient },
    note: { type: 'string' },
  },
  required: ['id', 'size', 'state', 'reason', 'recipients'],
};

function changed(change) {
  const copy = structuredClone(version);
  change(copy.properties, copy);
  return incompatibilities(version, copy);
}

describe('inside a version of an event', () => {
  /** @type {any[][]} */
  const allowed = [
    ['nothing changes', () => undefined],
    ['an optional field comes', (fields) => (fields.subject = { type: 'string' })],
    [
      'an optional field comes into the objects of a list',
      (fields) => (fields.recipients.items.properties.name = { type: 'string' }),
    ],
    ['the words change', (fields, schema) => ((schema.description = 'Other'), (schema.examples = [{}]))],
    ['a field called like a keyword comes', (fields) => (fields.required = { type: 'boolean' })],
  ];
  for (const [what, change] of allowed) {
    it(`nobody minds when ${what}`, () => assert.deepEqual(changed(change), []));
  }

  /** @type {any[][]} */
  const refused = [
    [
      'a required field comes',
      (f, s) => ((f.ip = { type: 'string' }), s.required.push('ip')),
      /data.ip is new and/,
    ],
    ['a field goes', (f, s) => (delete f.size, s.required.splice(1, 1)), /data.size was removed/],
    ['an optional field goes', (f) => delete f.note, /data.note was removed/],
    [
      'a field becomes required',
      (f, s) => s.required.push('note'),
      /data.note was optional and is required now/,
    ],
    ['a field becomes optional', (f, s) => s.required.shift(), /data.id was required and is optional now/],
    ['a type changes', (f) => (f.size.type = 'number'), /data.size \(type\) was "integer" and is "number"/],
    ['a bound comes', (f) => (f.size.maximum = 10), /data.size \(maximum\) was absent and is 10/],
    ['a bound goes', (f) => delete f.recipients.minItems, /data.recipients \(minItems\)/],
    ['a value of a set goes', (f) => f.state.enum.pop(), /data.state \(enum\)/],
    ['a value of a set comes', (f) => f.state.enum.push('gone'), /data.state \(enum\)/],
    ['a null is not allowed any more', (f) => f.reason.anyOf.pop(), /data.reason \(anyOf\)/],
    ['one of several types changes', (f) => (f.reason.anyOf[0].type = 'number'), /data.reason \(type\)/],
    [
      'a field goes from the objects of a list',
      (f) => delete f.recipients.items.properties.email,
      /email was removed/,
    ],
  ];
  for (const [what, change, expected] of refused) {
    it(`a new version is asked for when ${what}`, () => assert.match(changed(change).join('\n'), expected));
  }
});
