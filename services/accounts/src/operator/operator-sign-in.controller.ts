import { Body, Controller, Post } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ApiErrors } from '@postmesh/contracts';
import { body, Internal } from '@postmesh/service-host';
import { UserEntity } from '../members/people.js';
import { membershipIn, membershipsOf } from '../sessions/memberships.js';
import { SignInLinks } from '../sign-in/sign-in-links.js';
import { OperatorSignInLinkBody } from './operator.schema.js';

/** Links of the operator that sign a member in: for the first one, and where no mail arrives. */
@Controller('operator/sign-in-links')
@Internal()
export class OperatorSignInController {
  constructor(
    private readonly dataSource: DataSource,
    private readonly links: SignInLinks,
  ) {}

  /** The only response with the link. */
  @Post()
  async create(@Body(body(OperatorSignInLinkBody)) { email, account_id }: OperatorSignInLinkBody) {
    return this.dataSource.transaction(async (manager) => {
      const user = await manager.findOneBy(UserEntity, { email });
      const account =
        user &&
        (account_id === undefined
          ? (await membershipsOf(manager, user.id))[0]
          : await membershipIn(manager, user.id, account_id));
      if (!user || !account) throw ApiErrors.notFound('member');
      const given = { userId: user.id, way: 'operator', accountId: account.id } as const;
      const { url, expiresAt } = await this.links.make(manager, given);
      return { url, account_id: account.id, user_id: user.id, expires_at: expiresAt.toISOString() };
    });
  }
}
