import { describe, expect, it } from 'vitest';
import { bodyFrame, checkBody } from './body-frame.rules.js';

const check = (headers: Record<string, string>) => checkBody(headers, bodyFrame(headers), 30_000_000);

describe('what the head says about the body', () => {
  it.each([
    [{}, { present: false, length: 0 }],
    [{ 'content-length': '0' }, { present: false, length: 0 }],
    [{ 'content-length': '7' }, { present: true, length: 7 }],
    [{ 'transfer-encoding': 'chunked' }, { present: true, length: undefined }],
  ])('%j', (headers, frame) => {
    expect(bodyFrame(headers)).toEqual(frame);
  });

  it.each([
    undefined,
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json ;x=y',
  ])('§1.4 a body of type %j passes', (type) => {
    expect(() => check({ 'content-length': '2', ...(type && { 'content-type': type }) })).not.toThrow();
  });

  it.each(['', 'text/plain', 'application/jsonp', 'application/json, text/plain', 'multipart/form-data'])(
    '§1.4 a body of type %j is refused',
    (type) => {
      expect(() => check({ 'content-length': '2', 'content-type': type })).toThrow(
        'content type must be application/json',
      );
    },
  );

  it('§1.4 without a body the type does not matter', () => {
    expect(() => check({ 'content-type': 'text/plain' })).not.toThrow();
  });

  it('§1.4 30,000,000 bytes pass, one more does not; the type is looked at first', () => {
    expect(() => check({ 'content-length': '30000000' })).not.toThrow();
    expect(() => check({ 'content-length': '30000001' })).toThrow('request body is too large');
    expect(() => check({ 'content-length': '30000001', 'content-type': 'text/plain' })).toThrow(
      /content type/,
    );
  });
});
