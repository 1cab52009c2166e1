import { Body, Controller } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { apiResponse, ApiErrors, type ApiResponse } from '@postmesh/contracts';
import { body, Call, Operation, uuidParam } from '@postmesh/service-host';
import { AuditLog, memberActor } from '../audit/audit-log.js';
import { CacheLeases } from '../revocation/cache-leases.js';
import { SessionChanges } from '../sessions/session-changes.js';
import { SessionEntity } from '../sessions/session.entity.js';
import { byMember, sessionIdOf, type MemberPrincipal } from '../sessions/show-session.js';
import { PasskeyEntity } from './passkey.entity.js';
import { AssertionBody, CreatePasskeyBody, passkeyResource } from './passkey.schema.js';
import { Passkeys } from './passkeys.js';

/** The passkeys of a member, and the confirmation of a session by one of them (decision 116). */
@Controller()
export class PasskeysController {
  constructor(
    private readonly dataSource: DataSource,
    private readonly passkeys: Passkeys,
    private readonly sessions: SessionChanges,
    private readonly leases: CacheLeases,
    private readonly audit: AuditLog,
  ) {}

  @Operation('passkeys.list')
  async list(@Call(byMember) { member }: MemberPrincipal): Promise<ApiResponse> {
    const passkeys = await this.passkeys.list(member.user_id);
    return apiResponse(200, { object: 'list', data: passkeys.map(passkeyResource) });
  }

  @Operation('passkeys.options')
  async options(@Call(byMember) { member }: MemberPrincipal): Promise<ApiResponse> {
    return apiResponse(200, await this.passkeys.registrationOptions(member.user_id));
  }

  /** The session is confirmed with it, so that a first passkey locks its member out of nothing. */
  @Operation('passkeys.create')
  async create(
    @Call(byMember) principal: MemberPrincipal,
    @Body(body(CreatePasskeyBody)) given: CreatePasskeyBody,
  ): Promise<ApiResponse> {
    const { user_id: userId } = principal.member;
    const { passkey, revision } = await this.dataSource.transaction(async (manager) => {
      const passkey = await this.passkeys.register(manager, userId, given);
      await manager.update(SessionEntity, { id: sessionIdOf(principal) }, { confirmedAt: new Date() });
      await this.audit.record(manager, this.entry(principal, 'passkey.create', passkey));
      return { passkey, revision: await this.sessions.reread(manager, { userId }) };
    });
    await this.leases.settled(revision);
    return apiResponse(201, passkeyResource(passkey));
  }

  @Operation('passkeys.remove')
  async remove(
    @Call(byMember) principal: MemberPrincipal,
    @uuidParam('passkey_id') id: string,
  ): Promise<ApiResponse> {
    const { user_id: userId } = principal.member;
    const revision = await this.dataSource.transaction(async (manager) => {
      const passkey = await manager.findOneBy(PasskeyEntity, { id, userId });
      if (!passkey) throw ApiErrors.notFound('passkey');
      await manager.delete(PasskeyEntity, { id });
      await this.audit.record(manager, this.entry(principal, 'passkey.remove', passkey));
      return this.sessions.reread(manager, { userId });
    });
    await this.leases.settled(revision);
    return apiResponse(200, { message: 'passkey removed' });
  }

  @Operation('session.confirm-options')
  async confirmOptions(@Call(byMember) { member }: MemberPrincipal): Promise<ApiResponse> {
    return apiResponse(200, await this.passkeys.assertionOptions('confirm', member.user_id));
  }

  @Operation('session.confirm')
  async confirm(
    @Call(byMember) principal: MemberPrincipal,
    @Body(body(AssertionBody)) { credential }: AssertionBody,
  ): Promise<ApiResponse> {
    const { user_id: userId } = principal.member;
    const revision = await this.dataSource.transaction(async (manager) => {
      await this.passkeys.verify(manager, credential, { purpose: 'confirm', userId });
      await manager.update(SessionEntity, { id: sessionIdOf(principal) }, { confirmedAt: new Date() });
      return this.sessions.reread(manager, { userId });
    });
    await this.leases.settled(revision);
    return apiResponse(200, { message: 'confirmed' });
  }

  private entry({ member, account_id }: MemberPrincipal, action: string, { id, label }: PasskeyEntity) {
    const actor = memberActor(member.user_id);
    return { actor, action, accountId: account_id, subjectId: id, details: { label } };
  }
}
