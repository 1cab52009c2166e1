import { Controller, Get, Param } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ApiErrors, Uuid, type KnownSubAccount } from '@postmesh/contracts';
import { Internal } from '@postmesh/service-host';
import { SubAccountsRepository } from './sub-accounts.repository.js';

/** Tells other services whose child an account is. */
@Controller('internal/accounts')
@Internal()
export class KnownSubAccountsController {
  constructor(
    private readonly dataSource: DataSource,
    private readonly children: SubAccountsRepository,
  ) {}

  @Get(':account_id/sub-accounts/:sub_account_id')
  async get(
    @Param('account_id') parentId: string,
    @Param('sub_account_id') childId: string,
  ): Promise<KnownSubAccount> {
    const child = { parentId: read(parentId, 'account_id'), childId: read(childId, 'sub_account_id') };
    const row = await this.children.find(this.dataSource.manager, child);
    return { account_id: row.id, parent_account_id: row.parent_account_id };
  }
}

/** @throws ApiError 400 */
function read(text: string, name: string): string {
  const parsed = Uuid.safeParse(text);
  if (!parsed.success) throw ApiErrors.invalidParameter(name);
  return parsed.data;
}
