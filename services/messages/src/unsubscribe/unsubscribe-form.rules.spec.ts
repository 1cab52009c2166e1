import { describe, expect, it } from 'vitest';
import { readUnsubscribeForm } from './unsubscribe-form.rules.js';

const URLENCODED = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data; boundary=cut';
const read = (type: string, text: string) => readUnsubscribeForm(type, Buffer.from(text));
const part = (name: string, value: string, more = '') =>
  `--cut\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;

describe('a POST to an unsubscribe link', () => {
  it.each([
    [URLENCODED, 'List-Unsubscribe=One-Click', 'one-click'],
    [`${URLENCODED}; charset=UTF-8`, 'List-Unsubscribe=One-Click', 'one-click'],
    ['Application/X-WWW-Form-URLEncoded', 'List%2DUnsubscribe=One%2DClick', 'one-click'],
    [MULTIPART, `${part('List-Unsubscribe', 'One-Click')}--cut--\r\n`, 'one-click'],
    [MULTIPART, `${part('List-Unsubscribe', 'One-Click')}--cut--`, 'one-click'],
    [
      'multipart/form-data; boundary="a b"',
      '--a b\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--a b--\r\n',
      'one-click',
    ],
    [URLENCODED, 'confirm=1', 'confirm'],
    [MULTIPART, `${part('confirm', '1')}--cut--\r\n`, 'confirm'],
  ])('%s %j asks for %s', async (type, body, form) => {
    expect(await read(type, body)).toBe(form);
  });

  it.each([
    [URLENCODED, ''],
    [URLENCODED, 'confirm=0'],
    [URLENCODED, 'confirm'],
    [URLENCODED, 'confirm=1&confirm=1'],
    [URLENCODED, 'List-Unsubscribe=One-Click&more=1'],
    [URLENCODED, 'list-unsubscribe=one-click'],
    [URLENCODED, 'List-Unsubscribe=Yes'],
    [URLENCODED, '\u0000\ufffd%%%'],
    [MULTIPART, 'List-Unsubscribe=One-Click'],
    [MULTIPART, part('List-Unsubscribe', 'One-Click')],
    [MULTIPART, `${part('List-Unsubscribe', 'One-Click', '; filename="a"')}--cut--\r\n`],
    ['multipart/form-data', `${part('List-Unsubscribe', 'One-Click')}--cut--\r\n`],
    ['multipart/mixed; boundary=cut', `${part('List-Unsubscribe', 'One-Click')}--cut--\r\n`],
    ['text/plain', 'List-Unsubscribe=One-Click'],
    ['application/json', '{"List-Unsubscribe":"One-Click"}'],
    ['', 'List-Unsubscribe=One-Click'],
    ['\nnonsense', 'confirm=1'],
  ])('%s %j asks for nothing', async (type, body) => {
    expect(await read(type, body)).toBeUndefined();
  });
});
