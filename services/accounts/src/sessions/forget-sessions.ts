import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { inBatches } from '@postmesh/concurrency';
import { changedRows } from '@postmesh/database';
import { Periodic } from '@postmesh/work';
import { IDLE_MS, LONGEST_MS } from './session.rules.js';

const BATCH = 1_000;

/** Deletes sessions, links, challenges and sign-ins at the provider that have ended: they are refused without this. */
@Injectable()
export class ForgetSessions {
  constructor(private readonly dataSource: DataSource) {}

  @Periodic({ name: 'forget-sessions', everyMs: 600_000, timeoutMs: 60_000 })
  async forget(signal: AbortSignal): Promise<void> {
    const limits = { size: BATCH, signal };
    const ages = [LONGEST_MS / 1_000, IDLE_MS / 1_000];
    await inBatches(() => changedRows(this.dataSource, SESSIONS, ages), limits);
    await inBatches(() => changedRows(this.dataSource, LINKS), limits);
    await inBatches(() => changedRows(this.dataSource, CHALLENGES), limits);
    await inBatches(() => changedRows(this.dataSource, OIDC_FLOWS), limits);
  }
}

const SESSIONS = `delete from sessions where id = any(array(
  select id from sessions where created_at < now() - make_interval(secs => $1)
    or last_used_at < now() - make_interval(secs => $2) limit ${BATCH}))`;
const LINKS = `delete from sign_in_links where id = any(array(
  select id from sign_in_links where expires_at < now() limit ${BATCH}))`;
const CHALLENGES = `delete from passkey_challenges where challenge_hash = any(array(
  select challenge_hash from passkey_challenges where expires_at < now() limit ${BATCH}))`;
const OIDC_FLOWS = `delete from oidc_flows where state_hash = any(array(
  select state_hash from oidc_flows where expires_at < now() limit ${BATCH}))`;
