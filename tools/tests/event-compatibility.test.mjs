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
    ['an optional field is added', (fields) => (fields.subject = { type: 'string' })],
    [
      'an optional field is added to the objects of a list',
      (fields) => (fields.recipients.items.properties.name = { type: 'string' }),
    ],
    [
      'the descriptions change',
      (fields, schema) => ((schema.description = 'Other'), (schema.examples = [{}])),
    ],
    ['a field with the name of a keyword is added', (fields) => (fields.required = { type: 'boolean' })],
  ];
  for (const [what, change] of allowed) {
    it(`a version stays compatible when ${what}`, () => assert.deepEqual(changed(change), []));
  }

  /** @type {any[][]} */
  const refused = [
    [
      'a required field is added',
      (f, s) => ((f.ip = { type: 'string' }), s.required.push('ip')),
      /data.ip is new and/,
    ],
    ['a field is removed', (f, s) => (delete f.size, s.required.splice(1, 1)), /data.size was removed/],
    ['an optional field is removed', (f) => delete f.note, /data.note was removed/],
    [
      'a field becomes required',
      (f, s) => s.required.push('note'),
      /data.note was optional and is required now/,
    ],
    ['a field becomes optional', (f, s) => s.required.shift(), /data.id was required and is optional now/],
    ['a type changes', (f) => (f.size.type = 'number'), /data.size \(type\) was "integer" and is "number"/],
    ['a bound is added', (f) => (f.size.maximum = 10), /data.size \(maximum\) was absent and is 10/],
    ['a bound is removed', (f) => delete f.recipients.minItems, /data.recipients \(minItems\)/],
    ['a value of a set is removed', (f) => f.state.enum.pop(), /data.state \(enum\)/],
    ['a value of a set is added', (f) => f.state.enum.push('gone'), /data.state \(enum\)/],
    ['a null is not allowed any more', (f) => f.reason.anyOf.pop(), /data.reason \(anyOf\)/],
    ['one of several types changes', (f) => (f.reason.anyOf[0].type = 'number'), /data.reason \(type\)/],
    [
      'a field is removed from the objects of a list',
      (f) => delete f.recipients.items.properties.email,
      /email was removed/,
    ],
  ];
  for (const [what, change, expected] of refused) {
    it(`a new version is required when ${what}`, () => assert.match(changed(change).join('\n'), expected));
  }
});
