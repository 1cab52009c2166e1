import { Body, Controller } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, Repository } from 'typeorm';
import { apiResponse, type AccountId, type ApiResponse, type UserId } from '@postmesh/contracts';
import { body, Call, Operation, uuidParam, type ApiCall } from '@postmesh/service-host';
import { actorOf } from '../audit/audit-log.js';
import { AddMember } from './add-member.js';
import { ChangeMember } from './change-member.js';
import {
  AddMemberBody,
  MEMBER_BODY_RULES,
  memberResource,
  namedMember,
  UpdateMemberBody,
} from './member.schema.js';
import { MemberEntity, UserEntity } from './people.js';

/** The people of an account (spec 1-platform §8). */
@Controller()
export class MembersController {
  constructor(
    @InjectRepository(MemberEntity) private readonly members: Repository<MemberEntity>,
    @InjectRepository(UserEntity) private readonly users: Repository<UserEntity>,
    private readonly addMember: AddMember,
    private readonly changeMember: ChangeMember,
  ) {}

  /** All of them, oldest first. */
  @Operation('members.list')
  async list(@Call() { accountId }: ApiCall): Promise<ApiResponse> {
    return apiResponse(200, { object: 'list', data: (await this.all(accountId)).map(memberResource) });
  }

  @Operation('member-names.list')
  async named(@Call() { principal }: ApiCall): Promise<ApiResponse> {
    const members = await this.all(principal.account_id);
    const users = await this.users.findBy({ id: In(members.map(({ userId }) => userId)) });
    const userOf = new Map(users.map((user) => [user.id, user]));
    const data = members.map((member) => namedMember(member, userOf.get(member.userId)));
    return apiResponse(200, { object: 'list', data });
  }

  @Operation('members.add')
  add(
    @Call() call: ApiCall,
    @Body(body(AddMemberBody, MEMBER_BODY_RULES)) input: AddMemberBody,
  ): Promise<ApiResponse> {
    const command = { accountId: call.accountId, input, actor: actorOf(call) };
    return call.respond(
      (remember) => this.addMember.execute(command, remember),
      (member: MemberEntity) => apiResponse(201, memberResource(member)),
    );
  }

  @Operation('members.update')
  async update(
    @Call() call: ApiCall,
    @uuidParam('user_id') userId: UserId,
    @Body(body(UpdateMemberBody, MEMBER_BODY_RULES)) { role }: UpdateMemberBody,
  ): Promise<ApiResponse> {
    const command = { accountId: call.accountId, userId, actor: actorOf(call) };
    return apiResponse(200, memberResource(await this.changeMember.changeRole(command, role)));
  }

  @Operation('members.remove')
  async remove(@Call() call: ApiCall, @uuidParam('user_id') userId: UserId): Promise<ApiResponse> {
    await this.changeMember.remove({ accountId: call.accountId, userId, actor: actorOf(call) });
    return apiResponse(200, { message: 'member removed successfully' });
  }

  private all(accountId: AccountId): Promise<MemberEntity[]> {
    return this.members.find({ where: { accountId }, order: { createdAt: 'ASC', userId: 'ASC' } });
  }
}
