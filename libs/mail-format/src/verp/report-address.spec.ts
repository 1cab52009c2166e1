import { describe, expect, it } from 'vitest';
import { readReportAddress, reportAddress } from './report-address.js';

const ID = '01980f3e-0000-7c11-a2d4-0c5f9e6b8a00';
const HOST = 'rp.postmesh.test';

describe('the address for reports about a domain', () => {
  it('names the domain, in any letter case, and fits into a local part', () => {
    const address = reportAddress(ID, HOST);
    expect(address).toMatch(/^reports\+[a-z2-7]{26}@rp\.postmesh\.test$/);
    expect(readReportAddress(address.toUpperCase(), HOST)).toBe(ID);
  });

  it.each([
    reportAddress(ID, 'rp.shop.test'),
    `reports@${HOST}`,
    `reports+@${HOST}`,
    `reports+${'a'.repeat(25)}@${HOST}`,
    // the last character has bits behind the 16 bytes
    `reports+${'a'.repeat(25)}b@${HOST}`,
    `b+${'a'.repeat(26)}@${HOST}`,
    '',
  ])('is not %s', (address) => expect(readReportAddress(address, HOST)).toBeUndefined());

  it('is made of a UUID alone', () => expect(() => reportAddress('shop', HOST)).toThrow(TypeError));
});
