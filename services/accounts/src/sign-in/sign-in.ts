import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { newId, SessionId, type AccountId, type UserId } from '@postmesh/contracts';
import type { Identity } from '@postmesh/oidc';
import { Pepper, randomText } from '@postmesh/secrets';
import { AuditLog } from '../audit/audit-log.js';
import { UserEntity } from '../members/people.js';
import { confirmationOf, MembershipErrors } from '../oidc/membership.rules.js';
import { WaysIn } from '../oidc/ways-in.js';
import type { Assertion } from '../passkeys/passkey.schema.js';
import { Passkeys } from '../passkeys/passkeys.js';
import { CacheLeases } from '../revocation/cache-leases.js';
import { membershipIn, membershipsOf } from '../sessions/memberships.js';
import { SessionChanges } from '../sessions/session-changes.js';
import { SessionEntity, type SignInWay } from '../sessions/session.entity.js';
import { CONFIRMED_MS, deviceOf } from '../sessions/session.rules.js';
import { sessionResource, type SessionResource } from '../sessions/session.schema.js';
import { accountStatus } from './account-status.js';
import { SignInErrors } from './sign-in.rules.js';

const SECRET_LENGTH = 64;
// A member with more browsers is signed out where the console was not used for the longest time.
const MAX_SESSIONS = 100;

/** The browser of a sign-in. */
export interface Browser {
  userAgent: string;
  clientIp: string;
}

/** Proof of who signs in. */
export interface Proof {
  userId: UserId;
  way: SignInWay;
  /** the account to begin in; null: the first one */
  accountId: AccountId | null;
  /** the time of a login at the provider that confirms the session, too */
  confirmedAt?: Date | null;
}

export interface SignedIn {
  session: SessionResource;
  /** the value of the cookie; it cannot be read again */
  secret: string;
}

interface UsedLink {
  userId: UserId;
  accountId: AccountId | null;
  way: SignInWay;
}

/** Begins sessions. */
@Injectable()
export class SignIn {
  constructor(
    private readonly dataSource: DataSource,
    private readonly pepper: Pepper,
    private readonly changes: SessionChanges,
    private readonly leases: CacheLeases,
    private readonly audit: AuditLog,
    private readonly passkeys: Passkeys,
    private readonly ways: WaysIn,
  ) {}

  /** Uses a link up. @throws ApiError 401 for an unknown, used or expired one, 403 without an account */
  byLink(token: string, browser: Browser): Promise<SignedIn> {
    return this.begin(browser, async (manager) => {
      const [rows]: [UsedLink[], number] = await manager.query(
        `delete from sign_in_links where token_hash = any($1::bytea[]) and expires_at > now()
         returning user_id as "userId", account_id as "accountId", way`,
        [this.pepper.candidates(token)],
      );
      if (!rows[0]) throw SignInErrors.badLink();
      return rows[0];
    });
  }

  /** @throws ApiError 401 for a passkey that is not accepted, 403 without an account */
  byPasskey(credential: Assertion, browser: Browser): Promise<SignedIn> {
    return this.begin(browser, async (manager) => {
      const { userId } = await this.passkeys.verify(manager, credential, {
        purpose: 'sign-in',
        userId: null,
      });
      return { userId, way: 'passkey', accountId: null };
    });
  }

  /** For a person whose groups were applied (GroupMembers). @throws ApiError 403 for one without an account */
  byOidc(identity: Identity, browser: Browser): Promise<SignedIn> {
    return this.begin(browser, async (manager) => {
      const user = await manager.findOneBy(UserEntity, { email: identity.email });
      if (!user || (await membershipsOf(manager, user.id)).length === 0)
        throw MembershipErrors.noMember(identity.email);
      const confirmedAt = confirmationOf(identity, new Date(), CONFIRMED_MS);
      return { userId: user.id, way: 'oidc', accountId: null, confirmedAt };
    });
  }

  private async begin(
    browser: Browser,
    prove: (manager: EntityManager) => Promise<Proof>,
  ): Promise<SignedIn> {
    const { revision, ...signedIn } = await this.dataSource.transaction(async (manager) => {
      const proof = await prove(manager);
      const { userId, way, accountId } = proof;
      const user = await manager.findOneByOrFail(UserEntity, { id: userId });
      this.ways.requireOpen(way, user.email);
      const accounts = await membershipsOf(manager, userId);
      const current = (accountId && (await membershipIn(manager, userId, accountId))) || accounts[0];
      if (!current) throw SignInErrors.noAccount();
      const secret = randomText(SECRET_LENGTH);
      const session = this.sessionOf({ ...proof, accountId: current.id }, secret, browser);
      await manager.insert(SessionEntity, session);
      const status = await accountStatus(manager, current.id);
      await this.audit.record(manager, {
        actor: { kind: 'member', id: userId },
        action: 'session.begin',
        accountId: current.id,
        subjectId: session.id,
        details: { way, client_ip: browser.clientIp },
      });
      const revision = await this.changes.keepNewest(manager, userId, MAX_SESSIONS);
      return { session: sessionResource({ session, user, accounts, current, status }), secret, revision };
    });
    await this.leases.settled(revision);
    return signedIn;
  }

  private sessionOf(
    { userId, way, accountId, confirmedAt = null }: Proof & { accountId: AccountId },
    secret: string,
    { userAgent, clientIp }: Browser,
  ): SessionEntity {
    const now = new Date();
    return {
      id: SessionId.parse(newId()),
      userId,
      accountId,
      secretHash: this.pepper.hash(secret),
      pepperId: this.pepper.keyId,
      way,
      userAgent: deviceOf(userAgent),
      clientIp,
      createdAt: now,
      lastUsedAt: now,
      // an operator's link is the way back for a member who has lost every passkey
      confirmedAt: way === 'passkey' || way === 'operator' ? now : confirmedAt,
    };
  }
}
