import { describe, expect, it } from 'vitest';
import type { ApiKeyEntity } from './api-key.entity.js';
import { refuseEmptyChange, refuseSelfLockout } from './update-api-key.rules.js';

const scopeRow = (scope: string) => ({ scope }) as ApiKeyEntity['scopes'][number];
const key = {
  label: 'Production',
  scopes: [scopeRow('domains:read'), scopeRow('lists:read')],
  ipAllowList: ['10.0.0.0/8', '192.0.2.7/32'],
} as ApiKeyEntity;

describe('§9 updating an API key', () => {
  it.each([
    [{ label: 'Production' }],
    [{ scopes: ['lists:read', 'domains:read'] }],
    [{ ipAllowList: ['10.0.0.0/8', '192.0.2.7/32'] }],
    [{ label: 'Production', scopes: ['domains:read', 'lists:read'] }],
  ])('2. %j changes nothing', (wanted) => {
    expect(() => refuseEmptyChange(key, wanted)).toThrow('no changes to apply');
  });

  it.each([
    [{ label: 'production' }],
    [{ scopes: ['lists:read'] }],
    [{ scopes: ['lists:read', 'domains:write'] }],
    [{ ipAllowList: [] }],
    [{ ipAllowList: ['192.0.2.7/32', '10.0.0.0/8'] }],
    [{ label: 'other', scopes: ['domains:read', 'lists:read'] }],
  ])('%j is a change', (wanted) => {
    expect(() => refuseEmptyChange(key, wanted)).not.toThrow();
  });

  it('§3.7 a key cannot lock itself out, but may clear its list', () => {
    const here = { clientIp: '192.0.2.7' };
    expect(() => refuseSelfLockout({ ipAllowList: ['10.0.0.0/8'] }, here)).toThrow(
      'ip_allow_list would exclude your current IP address',
    );
    expect(() => refuseSelfLockout({ ipAllowList: ['192.0.2.0/24'] }, here)).not.toThrow();
    expect(() => refuseSelfLockout({ ipAllowList: [] }, here)).not.toThrow();
    expect(() => refuseSelfLockout({ label: 'x' }, here)).not.toThrow();
  });
});
