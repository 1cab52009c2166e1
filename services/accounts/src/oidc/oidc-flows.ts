import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { SessionId } from '@postmesh/contracts';
import {
  FLOW_MS,
  flowOf,
  hashOf,
  isBrowserSecret,
  newBrowser,
  newState,
  OidcErrors,
  stateOf,
  type Flow,
} from '@postmesh/oidc';

/** A flow that begins a session, or that confirms one. */
export type FlowAim =
  | { readonly purpose: 'sign-in'; readonly page: string | undefined }
  | { readonly purpose: 'confirm'; readonly sessionId: SessionId };

export interface TakenFlow {
  readonly flow: Flow;
  readonly page: string | null;
  readonly begunAt: Date;
}

/**
 * Sign-ins that are under way at the provider. Each belongs to one browser by the secret in its cookie, of which the table
 * has a hash alone, and is used once, within ten minutes.
 */
@Injectable()
export class OidcFlows {
  constructor(private readonly dataSource: DataSource) {}

  /** @param given the secret of a browser in which another flow may be under way, in another tab */
  async begin(aim: FlowAim, given: string | undefined): Promise<{ flow: Flow; browser: string }> {
    const [state, browser] = [newState(aim.purpose), newBrowser(given)];
    const now = new Date();
    await this.dataSource.query(
      `insert into oidc_flows (state_hash, browser_hash, purpose, session_id, page, begun_at, expires_at)
       values ($1, $2, $3, $4, $5, $6, $7)`,
      [
        hashOf(state),
        hashOf(browser),
        aim.purpose,
        aim.purpose === 'confirm' ? aim.sessionId : null,
        aim.purpose === 'sign-in' ? (aim.page ?? null) : null,
        now,
        new Date(now.getTime() + FLOW_MS),
      ],
    );
    return { flow: flowOf(state, browser), browser };
  }

  /**
   * Uses a flow up, whatever its response is worth.
   * @throws ApiError 401 for one that is not under way in this browser
   */
  async take(
    response: string,
    browser: string | undefined,
    { purpose, sessionId }: { purpose: FlowAim['purpose']; sessionId?: SessionId },
  ): Promise<TakenFlow> {
    const state = stateOf(response);
    if (state === null || !isBrowserSecret(browser)) throw OidcErrors.over();
    const [rows]: [Omit<TakenFlow, 'flow'>[], number] = await this.dataSource.query(
      `delete from oidc_flows where state_hash = $1 and browser_hash = $2 and purpose = $3
         and session_id is not distinct from $4::uuid and expires_at > now()
       returning page, begun_at as "begunAt"`,
      [hashOf(state), hashOf(browser), purpose, sessionId ?? null],
    );
    if (!rows[0]) throw OidcErrors.over();
    return { flow: flowOf(state, browser), ...rows[0] };
  }
}
