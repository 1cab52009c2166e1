import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { AccountId, MemberRole } from '@postmesh/contracts';
import { ownBaseUrl } from '@postmesh/public-links';
import { forgetResult, SETTINGS, type Remember } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { AccountsRepository } from '../account/accounts.repository.js';
import { AuditLog, type Actor } from '../audit/audit-log.js';
import { WaysIn } from '../oidc/ways-in.js';
import { SignInLinks } from '../sign-in/sign-in-links.js';
import { minuteOf } from '../sign-in/sign-in.rules.js';
import type { SystemMessage } from '../system-mail/message.rules.js';
import { SystemMail } from '../system-mail/system-mail.js';
import { findOrCreateUser, MemberEntity, type UserEntity } from './people.js';
import { MemberErrors, requireMemberSlot, requireInviteQuota } from './member.rules.js';
import type { AddMemberBody } from './member.schema.js';

const ADDED = 'member.add';
const DAY_MS = 86_400_000;

export interface AddMemberCommand {
  accountId: AccountId;
  input: AddMemberBody;
  actor: Actor;
}

/** Adds a member to an account, and mails them. */
@Injectable()
export class AddMember {
  constructor(
    private readonly dataSource: DataSource,
    private readonly accounts: AccountsRepository,
    private readonly mail: SystemMail,
    private readonly audit: AuditLog,
    private readonly links: SignInLinks,
    private readonly ways: WaysIn,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** @throws ApiError 404 `account not found`, 409 for a member already */
  execute(command: AddMemberCommand, remember: Remember<MemberEntity> = forgetResult): Promise<MemberEntity> {
    return this.dataSource.transaction(async (manager) => {
      const member = await this.add(manager, command);
      await remember(manager, member);
      return member;
    });
  }

  /** The account is locked, so the second of two concurrent requests for one person sees the member of the first. */
  private async add(
    manager: EntityManager,
    { accountId, input, actor }: AddMemberCommand,
  ): Promise<MemberEntity> {
    const account = await this.accounts.lock(manager, { id: accountId });
    const now = new Date();
    const { email, role } = input;
    const { user, isNew } = await findOrCreateUser(manager, { email, name: input.name ?? '' });
    const member = { accountId, userId: user.id, role, fromGroup: false, createdAt: now, updatedAt: now };
    if (!isNew && (await manager.existsBy(MemberEntity, { accountId, userId: user.id }))) {
      throw MemberErrors.already();
    }
    requireMemberSlot(await manager.countBy(MemberEntity, { accountId }));
    requireInviteQuota(
      await this.audit.countSince(manager, accountId, ADDED, new Date(now.getTime() - DAY_MS)),
    );
    await manager.insert(MemberEntity, member);
    const message = membershipMessage(isNew ? 'invitation' : 'membership', {
      accountName: account.name,
      role,
      address: ownBaseUrl(this.settings),
      ...(await this.wayIn(manager, { accountId, user, isNew })),
    });
    await this.mail.send(manager, { ...account, people: [user] }, message);
    await this.audit.record(manager, {
      actor,
      action: ADDED,
      accountId,
      subjectId: user.id,
      details: { role },
    });
    return member;
  }

  /** A new user gets a link that signs in once, where links do; everyone else the address of the console. */
  private async wayIn(
    manager: EntityManager,
    { accountId, user, isNew }: { accountId: AccountId; user: UserEntity; isNew: boolean },
  ): Promise<Pick<Membership, 'action' | 'hint'>> {
    if (!this.settings.console) return {};
    const url = `${ownBaseUrl(this.settings)}/console/`;
    const open = { label: 'Open the console', url };
    if (this.ways.isOidcOnly(user.email))
      return { action: open, hint: `You sign in there with ${this.ways.oidc?.name}.` };
    if (!isNew) return { action: open };
    const link = await this.links.make(manager, { userId: user.id, way: 'invitation', accountId });
    return {
      action: { label: 'Sign in', url: link.url },
      hint: `The link signs you in once, until ${minuteOf(link.expiresAt)}. Afterwards ${url} sends you another one.`,
    };
  }
}

interface Membership {
  accountName: string;
  role: MemberRole;
  /** base URL of the API */
  address: string;
  /** the way into the console, when it is on */
  action?: NonNullable<SystemMessage['action']>;
  /** says how long the way in works */
  hint?: string;
}

const CLOSING = {
  notices: 'Postmesh sends notices about the account to this address.',
  stranger: 'If you do not know this account, ask its owner to remove you, or ignore this message.',
};

/** An invitation for a new user (spec 1-platform §8 rule 1), or a notice for an existing one. */
function membershipMessage(
  kind: 'invitation' | 'membership',
  { accountName, role, address, action, hint }: Membership,
): SystemMessage {
  const facts = [
    ['Account', accountName],
    ['Your role', role],
    ['API', address],
  ] as const;
  if (kind === 'membership') {
    return {
      kind,
      subject: `You are now a member of ${accountName}`,
      opening: [`A manager of the account ${accountName} has made you a member of it.`],
      ...(action && { action }),
      facts,
      closing: [CLOSING.notices, CLOSING.stranger],
    };
  }
  return {
    kind,
    subject: `You have been invited to ${accountName}`,
    opening: [
      'Hello,',
      `a manager of the account ${accountName} has made you a member of it. The account sends email through Postmesh.`,
    ],
    ...(action && { action }),
    facts,
    closing: [
      hint ?? 'You need not do anything: you are a member already.',
      CLOSING.notices,
      CLOSING.stranger,
    ],
  };
}
