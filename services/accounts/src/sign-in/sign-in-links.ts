import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { newId, type AccountId, type UserId } from '@postmesh/contracts';
import { ownBaseUrl } from '@postmesh/public-links';
import { Pepper, randomText } from '@postmesh/secrets';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { UserEntity } from '../members/people.js';
import { membershipsOf } from '../sessions/memberships.js';
import type { SignInWay } from '../sessions/session.entity.js';
import { SystemMail } from '../system-mail/system-mail.js';
import { LINK_MS, signInMessage } from './sign-in.rules.js';

const TOKEN_LENGTH = 43;

/** The ways in by a link. */
type LinkWay = keyof typeof LINK_MS & SignInWay;

export interface NewLink {
  userId: UserId;
  way: LinkWay;
  /** the account that the session begins in; null: the first one of the user */
  accountId: AccountId | null;
  /** the page that it leads to, a path below `/console`; left out: the first one */
  to?: string | undefined;
}

export interface SignInLink {
  /** with the token behind `#`, so that it is in no log */
  url: string;
  expiresAt: Date;
}

// Unused links of one address in fifteen minutes: each is a message to a person who may not have requested it.
const MAX_REQUESTED = 3;

/** Makes links that sign a member in once. Only a hash of a token is stored. */
@Injectable()
export class SignInLinks {
  constructor(
    private readonly dataSource: DataSource,
    private readonly pepper: Pepper,
    private readonly mail: SystemMail,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** Makes a link in the transaction of the caller, who hands it out. */
  async make(manager: EntityManager, { userId, way, accountId, to }: NewLink): Promise<SignInLink> {
    const token = randomText(TOKEN_LENGTH);
    const now = new Date();
    const expiresAt = new Date(now.getTime() + LINK_MS[way]);
    await manager.query(
      `insert into sign_in_links (id, user_id, account_id, token_hash, pepper_id, way, created_at, expires_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [newId(), userId, accountId, this.pepper.hash(token), this.pepper.keyId, way, now, expiresAt],
    );
    const page = to === undefined ? '' : `?${new URLSearchParams({ to })}`;
    return { url: `${ownBaseUrl(this.settings)}/console/sign-in${page}#${token}`, expiresAt };
  }

  /**
   * Mails a link to a member. For an unknown address, a user without an account, and after too many requests nothing is
   * done: the caller must not see a difference.
   * @param email normalised
   * @param to see NewLink
   */
  async mailTo(email: string, clientIp: string, to?: string): Promise<void> {
    await this.dataSource.transaction(async (manager) => {
      // locked, so that concurrent requests are counted
      const where = { email };
      const user = await manager.findOne(UserEntity, { where, lock: { mode: 'pessimistic_write' } });
      const [account] = user ? await membershipsOf(manager, user.id) : [];
      if (!user || !account || (await countRequested(manager, user.id)) >= MAX_REQUESTED) return;
      const link = await this.make(manager, { userId: user.id, way: 'link', accountId: null, to });
      const message = signInMessage(link, { clientIp, service: ownBaseUrl(this.settings) });
      await this.mail.send(manager, { id: account.id, people: [user] }, message);
    });
  }
}

async function countRequested(manager: EntityManager, userId: UserId): Promise<number> {
  const [row]: { count: number }[] = await manager.query(
    `select count(*)::int as count from sign_in_links
     where user_id = $1 and way = 'link' and created_at > now() - make_interval(secs => $2)`,
    [userId, LINK_MS.link / 1_000],
  );
  return row?.count ?? 0;
}
