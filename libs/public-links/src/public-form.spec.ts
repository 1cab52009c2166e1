import { describe, expect, it } from 'vitest';
import { isOneClick, readFormField } from './public-form.js';

const URLENCODED = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data; boundary=cut';
const ONE_CLICK = { name: 'List-Unsubscribe', value: 'One-Click' };
const CONFIRM = { name: 'confirm', value: '1' };
const read = (type: string, text: string) => readFormField(type, Buffer.from(text));
const part = (name: string, value: string, more = '') =>
  `--cut\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;

describe('a POST to an unsubscribe link', () => {
  it.each([
    [URLENCODED, 'List-Unsubscribe=One-Click', ONE_CLICK],
    [`${URLENCODED}; charset=UTF-8`, 'List-Unsubscribe=One-Click', ONE_CLICK],
    ['Application/X-WWW-Form-URLEncoded', 'List%2DUnsubscribe=One%2DClick', ONE_CLICK],
    [MULTIPART, `${part('List-Unsubscribe', 'One-Click')}--cut--\r\n`, ONE_CLICK],
    [MULTIPART, `${part('List-Unsubscribe', 'One-Click')}--cut--`, ONE_CLICK],
    [
      'multipart/form-data; boundary="a b"',
      '--a b\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--a b--\r\n',
      ONE_CLICK,
    ],
    [URLENCODED, 'confirm=1', CONFIRM],
    [MULTIPART, `${part('confirm', '1')}--cut--\r\n`, CONFIRM],
  ])('%s %j has the field %j', async (type, body, field) => {
    expect(await read(type, body)).toEqual(field);
  });

  it.each([
    [URLENCODED, 'confirm=0'],
    [URLENCODED, 'confirm'],
    [URLENCODED, 'list-unsubscribe=one-click'],
    [URLENCODED, 'List-Unsubscribe=Yes'],
    [MULTIPART, `${part('List-Unsubscribe', 'one-click')}--cut--\r\n`],
  ])('%s %j is no one-click request', async (type, body) => {
    const field = await read(type, body);
    expect(field && isOneClick(field)).toBe(false);
    expect(isOneClick(ONE_CLICK)).toBe(true);
  });

  it.each([
    [URLENCODED, ''],
    [URLENCODED, 'confirm=1&confirm=1'],
    [URLENCODED, 'List-Unsubscribe=One-Click&more=1'],
    [MULTIPART, 'List-Unsubscribe=One-Click'],
    [MULTIPART, part('List-Unsubscribe', 'One-Click')],
    [MULTIPART, `${part('List-Unsubscribe', 'One-Click', '; filename="a"')}--cut--\r\n`],
    ['multipart/form-data', `${part('List-Unsubscribe', 'One-Click')}--cut--\r\n`],
    ['multipart/mixed; boundary=cut', `${part('List-Unsubscribe', 'One-Click')}--cut--\r\n`],
    ['text/plain', 'List-Unsubscribe=One-Click'],
    ['application/json', '{"List-Unsubscribe":"One-Click"}'],
    ['', 'List-Unsubscribe=One-Click'],
    ['\nnonsense', 'confirm=1'],
  ])('%s %j has not one field', async (type, body) => {
    expect(await read(type, body)).toBeUndefined();
  });
});
