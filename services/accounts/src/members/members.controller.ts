import { Controller } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { apiResponse, parseBody, type ApiResponse } from '@postmesh/contracts';
import { Call, Operation, type ApiCall } from '@postmesh/service-host';
import { AddMember } from './add-member.js';
import { ChangeMember } from './change-member.js';
import { memberResource } from './member.resource.js';
import { AddMemberBody, MEMBER_BODY_RULES, UpdateMemberBody, type MemberList } from './member.schema.js';
import { MembersRepository } from './members.repository.js';

/** The people of an account (spec 1-platform §8). */
@Controller()
export class MembersController {
  constructor(
    private readonly dataSource: DataSource,
    private readonly members: MembersRepository,
    private readonly addition: AddMember,
    private readonly change: ChangeMember,
  ) {}

  @Operation('members.list')
  async list(@Call() call: ApiCall): Promise<ApiResponse> {
    const members = await this.members.list(this.dataSource.manager, call.accountId);
    const list: MemberList = { object: 'list', data: members.map(memberResource) };
    return apiResponse(200, list);
  }

  @Operation('members.add')
  add(@Call() call: ApiCall): Promise<ApiResponse> {
    const input = parseBody(AddMemberBody, call.body(), MEMBER_BODY_RULES);
    const order = { accountId: call.accountId, input, actor: actorOf(call) };
    return this.addition.execute(order, async (manager, member) => {
      const given = apiResponse(201, memberResource(member));
      await call.remember(manager, given);
      return given;
    });
  }

  @Operation('members.update')
  async update(@Call() call: ApiCall): Promise<ApiResponse> {
    const order = orderOf(call);
    const { role } = parseBody(UpdateMemberBody, call.body(), MEMBER_BODY_RULES);
    return apiResponse(200, memberResource(await this.change.changeRole(order, role)));
  }

  @Operation('members.remove')
  async remove(@Call() call: ApiCall): Promise<ApiResponse> {
    await this.change.remove(orderOf(call));
    return apiResponse(200, { message: 'member removed successfully' });
  }
}

const actorOf = (call: ApiCall) => ({ kind: 'api-key' as const, id: call.principal.key_id });

/** @throws ApiError 400 `invalid user_id` */
function orderOf(call: ApiCall) {
  return { accountId: call.accountId, userId: call.uuidParam('user_id'), actor: actorOf(call) };
}
