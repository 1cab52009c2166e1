import { ApiError } from '@postmesh/contracts';

// Members are listed whole, and each is told what happens to the account.
const MAX_MEMBERS = 1_000;

// Each may send a message to an address that nobody has confirmed, from the sender of the service itself.
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

/** @throws ApiError 409 when there is no room for another */
export function refuseCrowd(members: number): void {
  if (members >= MAX_MEMBERS) throw MemberErrors.tooMany();
}

/** @throws ApiError 403 when the account has invited as many people as it may */
export function refuseFlood(addedInADay: number): void {
  if (addedInADay >= MAX_ADDED_PER_DAY) throw MemberErrors.tooManyToday();
}

/**
 * @param callerId the user who made the calling API key
 * @throws ApiError 403 for the owner, and for whoever is calling (spec 1-platform §8)
 */
export function refuseRemoval(userId: string, ownerId: string, callerId: string | null): void {
  if (userId === ownerId) throw MemberErrors.ownerStays();
  if (userId === callerId) throw MemberErrors.yourself();
}

/** @throws ApiError 403: an owner's role is not for others to take */
export function refuseRoleChange(userId: string, ownerId: string): void {
  if (userId === ownerId) throw MemberErrors.ownersRole();
}
