import { ApiError } from '@postmesh/contracts';

// Lists of members have no pages, and each member gets the account's notices.
const MAX_MEMBERS = 1_000;

// Each addition may send a message to an unconfirmed address, from the service's own sender.
const MAX_ADDED_PER_DAY = 200;

/** The texts of spec 1-platform §8, each in one place. */
export const MemberErrors = {
  already: () => new ApiError(409, 'user is already a member of this account'),
  tooMany: () => new ApiError(409, `an account can have at most ${MAX_MEMBERS} members`),
  tooManyToday: () =>
    new ApiError(403, `at most ${MAX_ADDED_PER_DAY} members can be added to an account in 24 hours`),
  ownerStays: () => new ApiError(403, 'the account owner cannot be removed'),
  yourself: () => new ApiError(403, 'you cannot remove yourself'),
  ownersRole: () => new ApiError(403, "the account owner's role cannot be changed"),
} as const;

/** @throws ApiError 409 when the account has the maximum of members */
export function requireMemberSlot(members: number): void {
  if (members >= MAX_MEMBERS) throw MemberErrors.tooMany();
}

/** @throws ApiError 403 when the account has reached its limit of invitations */
export function requireInviteQuota(addedInADay: number): void {
  if (addedInADay >= MAX_ADDED_PER_DAY) throw MemberErrors.tooManyToday();
}

/**
 * @param callerId the user who made the calling API key
 * @throws ApiError 403 for the owner, and for the caller (spec 1-platform §8)
 */
export function refuseRemoval(userId: string, ownerId: string, callerId: string | null): void {
  if (userId === ownerId) throw MemberErrors.ownerStays();
  if (userId === callerId) throw MemberErrors.yourself();
}

/** @throws ApiError 403 for the owner, whose role cannot be changed */
export function refuseRoleChange(userId: string, ownerId: string): void {
  if (userId === ownerId) throw MemberErrors.ownersRole();
}
