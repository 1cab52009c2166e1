import { describe, expect, it } from 'vitest';
import { requireMemberSlot, requireInviteQuota, refuseRemoval, refuseRoleChange } from './member.rules.js';

describe('members', () => {
  it.each([
    ['ann', 'owner', null, undefined],
    ['ann', 'owner', 'bob', undefined],
    ['ann', 'owner', 'ann', 'you cannot remove yourself'],
    ['owner', 'owner', null, 'the account owner cannot be removed'],
    ['owner', 'owner', 'owner', 'the account owner cannot be removed'],
  ])('%s is removed from the account of %s by %s: %s', (userId, ownerId, callerId, apiError) => {
    const act = () => refuseRemoval(userId, ownerId, callerId);
    if (apiError === undefined) expect(act).not.toThrow();
    else expect(act).toThrow(expect.objectContaining({ status: 403, message: apiError }));
  });

  it('keep the role of the owner', () => {
    expect(() => refuseRoleChange('ann', 'owner')).not.toThrow();
    expect(() => refuseRoleChange('owner', 'owner')).toThrow("the account owner's role cannot be changed");
  });

  it('are at most a thousand', () => {
    expect(() => requireMemberSlot(999)).not.toThrow();
    expect(() => requireMemberSlot(1_000)).toThrow(expect.objectContaining({ status: 409 }));
  });

  it('are at most 200 new ones a day, since each gets a message unasked', () => {
    expect(() => requireInviteQuota(199)).not.toThrow();
    expect(() => requireInviteQuota(200)).toThrow(expect.objectContaining({ status: 403 }));
  });
});
