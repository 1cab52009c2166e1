import { createHash } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import type { UserId } from '@postmesh/contracts';

/** The purpose of the answer to a challenge. */
export type ChallengePurpose = 'register' | 'sign-in' | 'confirm';

/** Time for a person to find the authenticator. */
export const CHALLENGE_MS = 300_000;

const hashOf = (challenge: string): Buffer => createHash('sha256').update(challenge).digest();

/** @param userId null for a sign-in, where the authenticator says who it is */
export async function keepChallenge(
  manager: EntityManager,
  challenge: string,
  { purpose, userId }: { purpose: ChallengePurpose; userId: UserId | null },
): Promise<void> {
  await manager.query(
    `insert into passkey_challenges (challenge_hash, purpose, user_id, expires_at) values ($1, $2, $3, $4)`,
    [hashOf(challenge), purpose, userId, new Date(Date.now() + CHALLENGE_MS)],
  );
}

/** Uses a challenge up. @returns whether it was given out for this, and has not expired */
export async function takeChallenge(
  manager: EntityManager,
  challenge: string,
  { purpose, userId }: { purpose: ChallengePurpose; userId: UserId | null },
): Promise<boolean> {
  const [rows]: [unknown[], number] = await manager.query(
    `delete from passkey_challenges
     where challenge_hash = $1 and purpose = $2 and user_id is not distinct from $3::uuid and expires_at > now()
     returning 1`,
    [hashOf(challenge), purpose, userId],
  );
  return rows.length === 1;
}
