import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { FormTimes } from './form-times.js';

const OLD = 'the-key-of-the-first-year-long-enough';
const NEW = 'the-key-of-the-second-year-long-enough';
const form = randomUUID();
const now = Date.UTC(2026, 2, 1);

it('the time of a form is read with any key, for its form alone, as it was signed', () => {
  const times = new FormTimes([NEW, OLD]);
  const old = new FormTimes([OLD]).sign(form, now);
  expect([times.read(form, times.sign(form, now)), times.read(form, old)]).toEqual([now, now]);
  expect(times.read(randomUUID(), old)).toBeUndefined();
  for (const wrong of ['', 'x', old.slice(1), `${old}A`, `B${old.slice(1)}`]) {
    expect(times.read(form, wrong), wrong).toBeUndefined();
  }
});
