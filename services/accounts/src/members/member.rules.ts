import { ApiError } from '@postmesh/contracts';

// Members are listed whole, and each is told what happens to the account.
export const MOST_MEMBERS = 1_000;

/** @throws ApiError 409 when there is no room for another */
export function refuseCrowd(members: number): void {
  if (members >= MOST_MEMBERS) {
    throw new ApiError(409, `an account can have at most ${MOST_MEMBERS} members`);
  }
}

/**
 * @param callerId the user who made the calling API key
 * @throws ApiError 403 for the owner, and for whoever is calling (spec 1-platform §8)
 */
export function refuseRemoval(userId: string, ownerId: string, callerId: string | null): void {
  if (userId === ownerId) throw new ApiError(403, 'the account owner cannot be removed');
  if (userId === callerId) throw new ApiError(403, 'you cannot remove yourself');
}

/** @throws ApiError 403: an owner's role is not for others to take */
export function refuseRoleChange(userId: string, ownerId: string): void {
  if (userId === ownerId) throw new ApiError(403, "the account owner's role cannot be changed");
}
