import { Inject, Injectable } from '@nestjs/common';
import type { SMTPServerAuthentication } from 'smtp-server';
import { pause } from '@postmesh/concurrency';
import type { KnownSmtpCredential } from '@postmesh/accounts-contract';
import type { SmtpReply } from '@postmesh/messages-contract';
import { Pepper } from '@postmesh/secrets';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { REPLIES } from '../replies.table.js';
import { SmtpMetrics } from '../smtp-metrics.js';
import type { SmtpSession } from '../smtp-session.js';
import { CredentialCache } from './credential-cache.js';
import { CredentialRehashes } from './credential-rehashes.js';
import { LoginFailures } from './login-failures.js';

export type LoginAttempt = Pick<SMTPServerAuthentication, 'username' | 'password' | 'authzid' | 'authcid'>;

export type LoginResult = { ok: true; credential: KnownSmtpCredential } | { ok: false; reply: SmtpReply };

const MAX_FAILURES_PER_SESSION = 3;
const SLOW_MS = 2_000;
const MAX_SLOW = 500;

const refused = (reply: SmtpReply): LoginResult => ({ ok: false, reply });

/** Checks logins at a listener (spec 2-messages §13 rules 2 and 3). */
@Injectable()
export class Logins {
  private readonly failures: LoginFailures;
  private slow = 0;

  constructor(
    private readonly cache: CredentialCache,
    private readonly pepper: Pepper,
    private readonly rehashes: CredentialRehashes,
    private readonly metrics: SmtpMetrics,
    @Inject(SETTINGS) { smtpLoginFailures }: Settings,
  ) {
    this.failures = new LoginFailures(smtpLoginFailures);
  }

  isBlocked(peer: string): boolean {
    return this.failures.isBlocked(peer);
  }

  async check(attempt: LoginAttempt, session: SmtpSession): Promise<LoginResult> {
    if (this.isBlocked(session.peer)) return this.counted('blocked', refused(REPLIES.tooManyFailures));
    let credential: KnownSmtpCredential | undefined;
    try {
      credential = await this.verify(attempt);
    } catch {
      return this.counted('unavailable', refused(REPLIES.loginUnavailable));
    }
    return credential
      ? this.counted('ok', { ok: true, credential })
      : this.counted('wrong', refused(await this.failed(attempt.username ?? '', session)));
  }

  /** The credential as it is now: for an open session, before each message. @throws Transient */
  async current({ username, credential_id }: KnownSmtpCredential): Promise<KnownSmtpCredential | undefined> {
    const found = await this.cache.find(username);
    return found?.credential_id === credential_id ? found : undefined;
  }

  private async verify(attempt: LoginAttempt): Promise<KnownSmtpCredential | undefined> {
    const { authzid = '', authcid = '' } = attempt;
    const [username, password] = [attempt.username ?? '', attempt.password ?? ''];
    const known = await this.cache.find(username);
    const hash = known && Buffer.from(known.password_hash, 'base64');
    // an unknown username is compared, too, so that the time does not reveal whether it exists
    const right = this.pepper.matches(password, hash);
    // an authorization identity other than the username is rejected (RFC 4616 §2)
    const asItself = authzid === '' || authcid === '' || authzid === authcid;
    if (!known || !right || !asItself) return undefined;
    this.rehashes.record(known, password);
    return known;
  }

  private async failed(username: string, session: SmtpSession): Promise<SmtpReply> {
    const again = this.failures.add(session.peer, username);
    session.failedLogins += 1;
    const last = session.failedLogins >= MAX_FAILURES_PER_SESSION;
    if (again && !(await this.slowDown())) return REPLIES.tooManyFailures;
    return last ? REPLIES.tooManyFailures : REPLIES.wrongCredentials;
  }

  /** @returns false when too many logins wait already */
  private async slowDown(): Promise<boolean> {
    if (this.slow >= MAX_SLOW) return false;
    this.slow += 1;
    await pause(SLOW_MS);
    this.slow -= 1;
    return true;
  }

  private counted(result: string, login: LoginResult): LoginResult {
    this.metrics.logins.inc({ result });
    return login;
  }
}
