import { Body, Controller, Headers, Post } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { apiResponse, BROWSER_HEADER, OIDC_COOKIE, type ApiResponse } from '@postmesh/contracts';
import { browserCookie, type AskedAgain } from '@postmesh/oidc';
import { body, Call, Operation } from '@postmesh/service-host';
import { UserEntity } from '../members/people.js';
import { GroupMembers } from '../oidc/group-members.js';
import { isLoggedInSince, MembershipErrors } from '../oidc/membership.rules.js';
import { OidcFlows, type FlowAim } from '../oidc/oidc-flows.js';
import { OidcProvider } from '../oidc/oidc-provider.js';
import { OidcResponseBody, OidcStartBody } from '../oidc/oidc.schema.js';
import { CacheLeases } from '../revocation/cache-leases.js';
import { SessionChanges } from '../sessions/session-changes.js';
import { SessionEntity } from '../sessions/session.entity.js';
import { sessionCookie } from '../sessions/session.rules.js';
import { byMember, sessionIdOf, type MemberPrincipal } from '../sessions/show-session.js';
import { SignIn } from './sign-in.js';

/** Sign-ins and confirmations by the OpenID Connect provider (decision 123). */
@Controller()
export class OidcController {
  constructor(
    private readonly dataSource: DataSource,
    private readonly provider: OidcProvider,
    private readonly flows: OidcFlows,
    private readonly groups: GroupMembers,
    private readonly signIn: SignIn,
    private readonly sessions: SessionChanges,
    private readonly leases: CacheLeases,
  ) {}

  @Post('public/console/oidc-sign-ins/options')
  start(
    @Body(body(OidcStartBody)) { to }: OidcStartBody,
    @Headers(BROWSER_HEADER) browser?: string,
  ): Promise<ApiResponse> {
    return this.leadAway({ purpose: 'sign-in', page: to }, browser);
  }

  @Post('public/console/oidc-sign-ins')
  async begin(
    @Body(body(OidcResponseBody)) { response }: OidcResponseBody,
    @Headers(BROWSER_HEADER) browser: string | undefined,
    @Headers('user-agent') userAgent = '',
    @Headers('x-client-ip') clientIp = '',
  ): Promise<ApiResponse> {
    const { flow, page } = await this.flows.take(response, browser, { purpose: 'sign-in' });
    const identity = await this.provider.identify(response, flow);
    await this.groups.apply(identity);
    const { session, secret } = await this.signIn.byOidc(identity, { userAgent, clientIp });
    return {
      ...apiResponse(201, { session, to: page }),
      headers: { 'set-cookie': sessionCookie(secret) },
    };
  }

  @Operation('session.confirm-oidc-options')
  async confirmOptions(
    @Call(byMember) principal: MemberPrincipal,
    @Headers(BROWSER_HEADER) browser?: string,
  ): Promise<ApiResponse> {
    const sessionId = sessionIdOf(principal);
    const isByIt = await this.dataSource.manager.existsBy(SessionEntity, { id: sessionId, way: 'oidc' });
    if (!isByIt) throw MembershipErrors.notByIt(this.provider.name);
    const { email } = await this.userOf(principal);
    return this.leadAway({ purpose: 'confirm', sessionId }, browser, { email });
  }

  @Operation('session.confirm-oidc')
  async confirm(
    @Call(byMember) principal: MemberPrincipal,
    @Body(body(OidcResponseBody)) { response }: OidcResponseBody,
    @Headers(BROWSER_HEADER) browser?: string,
  ): Promise<ApiResponse> {
    const sessionId = sessionIdOf(principal);
    const aim = { purpose: 'confirm', sessionId } as const;
    const { flow, begunAt } = await this.flows.take(response, browser, aim);
    const identity = await this.provider.identify(response, flow);
    const { id: userId, email } = await this.userOf(principal);
    if (identity.email !== email) throw MembershipErrors.otherPerson(email);
    if (!isLoggedInSince(identity, begunAt)) throw MembershipErrors.notAgain(this.provider.name);
    const revision = await this.dataSource.transaction(async (manager) => {
      await manager.update(SessionEntity, { id: sessionId }, { confirmedAt: new Date() });
      return this.sessions.reread(manager, { userId });
    });
    await this.leases.settled(revision);
    return apiResponse(200, { message: 'confirmed' });
  }

  /** The browser is known before the provider is asked, so that what comes back belongs to it. */
  private async leadAway(aim: FlowAim, given: string | undefined, again?: AskedAgain): Promise<ApiResponse> {
    const { flow, browser } = await this.flows.begin(aim, given);
    const url = await this.provider.authorizationUrl(flow, again);
    return { ...apiResponse(200, { url }), headers: { 'set-cookie': browserCookie(OIDC_COOKIE, browser) } };
  }

  private userOf({ member }: MemberPrincipal): Promise<UserEntity> {
    return this.dataSource.manager.findOneByOrFail(UserEntity, { id: member.user_id });
  }
}
