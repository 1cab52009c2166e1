import { Body, Controller } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { MoreThan, Repository } from 'typeorm';
import { apiResponse, SessionId, type ApiResponse } from '@postmesh/contracts';
import { body, Call, Operation, uuidParam } from '@postmesh/service-host';
import { ChangeSession } from './change-session.js';
import { SessionEntity } from './session.entity.js';
import { endOf, IDLE_MS, LONGEST_MS, NO_SESSION_COOKIE } from './session.rules.js';
import { openSession, roleList, SwitchAccountBody } from './session.schema.js';
import { byMember, sessionIdOf, ShowSession, type MemberPrincipal } from './show-session.js';

// Bounded by the sign-in, too (SignIn).
const MAX_LISTED = 200;

/** The session of a request, and all sessions of its member (decision 116). */
@Controller()
export class SessionsController {
  constructor(
    @InjectRepository(SessionEntity) private readonly sessions: Repository<SessionEntity>,
    private readonly showSession: ShowSession,
    private readonly changeSession: ChangeSession,
  ) {}

  @Operation('session.get')
  async get(@Call(byMember) principal: MemberPrincipal): Promise<ApiResponse> {
    return apiResponse(200, await this.showSession.execute(principal));
  }

  @Operation('session.switch-account')
  async switchAccount(
    @Call(byMember) principal: MemberPrincipal,
    @Body(body(SwitchAccountBody)) { account_id }: SwitchAccountBody,
  ): Promise<ApiResponse> {
    await this.changeSession.switchAccount(principal, account_id);
    return apiResponse(200, await this.showSession.execute(principal));
  }

  @Operation('session.end')
  async end(@Call(byMember) principal: MemberPrincipal): Promise<ApiResponse> {
    await this.changeSession.end(principal, sessionIdOf(principal));
    return signedOut('signed out');
  }

  /** Those that have not ended, the last used ones first. */
  @Operation('sessions.list')
  async list(@Call(byMember) { member, key_id }: MemberPrincipal): Promise<ApiResponse> {
    const ago = (ms: number) => MoreThan(new Date(Date.now() - ms));
    const sessions = await this.sessions.find({
      where: { userId: member.user_id, lastUsedAt: ago(IDLE_MS), createdAt: ago(LONGEST_MS) },
      order: { lastUsedAt: 'DESC', id: 'DESC' },
      take: MAX_LISTED,
    });
    const open = sessions.filter((one) => endOf(one).getTime() > Date.now());
    return apiResponse(200, { object: 'list', data: open.map((one) => openSession(one, key_id)) });
  }

  @Operation('sessions.end')
  async endOne(
    @Call(byMember) principal: MemberPrincipal,
    @uuidParam('session_id') id: SessionId,
  ): Promise<ApiResponse> {
    await this.changeSession.end(principal, id);
    return id === sessionIdOf(principal)
      ? signedOut('session ended')
      : apiResponse(200, { message: 'session ended' });
  }

  @Operation('sessions.end-all')
  async endAll(@Call(byMember) principal: MemberPrincipal): Promise<ApiResponse> {
    await this.changeSession.end(principal);
    return signedOut('signed out everywhere');
  }

  @Operation('roles.list')
  roles(): ApiResponse {
    return apiResponse(200, roleList());
  }
}

const signedOut = (message: string): ApiResponse => ({
  ...apiResponse(200, { message }),
  headers: { 'set-cookie': NO_SESSION_COOKIE },
});
