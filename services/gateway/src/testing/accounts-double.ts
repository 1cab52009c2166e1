import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  AccountId,
  ApiKeyId,
  newId,
  ROLES,
  UserId,
  type AccountFacts,
  type MemberRole,
} from '@postmesh/contracts';
import {
  AuditNote,
  KeyAuditNote,
  AuditOutcome,
  CacheLeaseRequest,
  KeyLookup,
  SesKeyLookup,
  KeyUses,
  RefusedRequests,
  SmtpCredentialLookup,
  SmtpRehashes,
  type AuditNoteResponse,
  type CacheLeaseResponse,
  type KeyLookupResponse,
  type KnownKey,
  type KnownSmtpCredential,
  type SmtpCredentialLookupResponse,
} from '@postmesh/accounts-contract';
import type { InternalRequest, InternalResponse, LocalService } from '@postmesh/http';
import { Pepper, randomText, SecretBox } from '@postmesh/secrets';
import { DEFAULT_ACCOUNT } from '@postmesh/service-testing';

export interface DoubleKey {
  secret: string;
  accountId: string;
  keyId: string;
}

interface KeyOptions {
  rateLimits?: KnownKey['rate_limits'];
  scopes?: string[];
  allowList?: string[];
  blocked?: boolean;
  facts?: Partial<AccountFacts>;
  /** the secret keys of its hash; default: the present ones */
  secretKeys?: readonly string[];
  accountId?: string;
  /** of signed requests */
  accessKey?: { id: string; secret: string };
}

export interface DoubleSession extends DoubleKey {
  userId: string;
}

interface SessionOptions {
  role?: MemberRole;
  validMs?: number;
  confirmedMs?: number;
  confirmedBy?: KnownKey['confirmed_by'];
  blocked?: boolean;
}

export interface DoubleCredential {
  username: string;
  password: string;
  accountId: string;
  credentialId: string;
}

interface CredentialOptions {
  password?: string;
  accountId?: string;
  facts?: Partial<AccountFacts>;
  blocked?: boolean;
  /** the secret keys of its hash; default: the present ones */
  secretKeys?: readonly string[];
}

export const LEASE_MS = 3_000;

/** Implements look-ups and leases of the accounts service in memory. */
export class AccountsDouble implements LocalService {
  readonly uses: KeyUses['uses'] = [];
  /** reported requests by account; rows of a repeated report once more */
  readonly refused = new Map<string, RefusedRequests['accounts'][string]>();
  /** unreachable while true */
  away = false;
  /** the status of the response to reports of refused requests */
  reportStatus = 200;
  /** those that were refused */
  reports = 0;
  lookups = 0;
  holdMs = 1_000;
  /** runs after a lookup has read and before its response */
  beforeLookupAnswer: () => Promise<void> = () => Promise.resolve();
  private readonly pepper: Pepper;
  private readonly keys = new Map<string, KnownKey>();
  private readonly sessions = new Map<string, KnownKey>();
  private readonly accessKeys = new Map<string, KnownKey>();
  private readonly box: SecretBox;
  /** audited actions by the id of their entry, with their outcome */
  readonly notes = new Map<string, { note: AuditNote | KeyAuditNote; status: number | null }>();
  /** whether entries of keys are beyond their bound */
  auditIsFull = false;
  private readonly credentials = new Map<string, KnownSmtpCredential>();
  readonly rehashes: SmtpRehashes['rehashes'] = [];
  private readonly changes: string[] = [];
  private readonly leases = new Map<string, { acked: number; until: number }>();
  private wake: (() => void)[] = [];

  constructor(secretKeys: readonly string[]) {
    this.pepper = new Pepper(secretKeys);
    this.box = new SecretBox(secretKeys);
  }

  addKey(options: KeyOptions = {}): DoubleKey {
    const secret = `pm-sk-${newId()}`;
    const accountId = options.accountId ?? newId();
    const keyId = newId();
    const pepper = options.secretKeys ? new Pepper(options.secretKeys) : this.pepper;
    const known: KnownKey = {
      hash: pepper.hash(secret).toString('base64'),
      pepper_id: pepper.keyId,
      principal: {
        account_id: AccountId.parse(accountId),
        key_id: ApiKeyId.parse(keyId),
        scopes: options.scopes ?? ['*'],
        account: { ...DEFAULT_ACCOUNT, ...options.facts },
      },
      ip_allow_list: options.allowList ?? [],
      blocked: options.blocked ?? false,
      last_used_at: null,
      rate_limits: options.rateLimits ?? null,
    };
    this.keys.set(secret, known);
    if (options.accessKey) {
      const { id, secret: signing } = options.accessKey;
      const sealed_signing_secret = this.box.seal(signing, `ses-credential/${keyId}`);
      this.accessKeys.set(secret, { ...known, hash: id, sealed_signing_secret });
    }
    return { secret, accountId, keyId };
  }

  /**
   * @param validMs until it has to be looked up again
   * @param confirmedMs of a member who confirms: for how long the last time still counts
   * @param confirmedBy left out: as of an older release
   */
  addSession({
    role = 'Administrator',
    validMs = 3_600_000,
    confirmedMs,
    confirmedBy,
    blocked = false,
  }: SessionOptions = {}): DoubleSession {
    const session = {
      secret: randomText(64),
      accountId: newId(),
      keyId: newId(),
      userId: newId(),
    };
    this.sessions.set(session.secret, {
      hash: this.pepper.hash(session.secret).toString('base64'),
      pepper_id: this.pepper.keyId,
      principal: {
        account_id: AccountId.parse(session.accountId),
        key_id: ApiKeyId.parse(session.keyId),
        scopes: [...ROLES[role].scopes],
        account: DEFAULT_ACCOUNT,
        member: { user_id: UserId.parse(session.userId), role },
      },
      ip_allow_list: [],
      blocked,
      last_used_at: null,
      rate_limits: null,
      valid_until: new Date(Date.now() + validMs).toISOString(),
      ...(confirmedMs !== undefined && {
        confirmed_until: new Date(Date.now() + confirmedMs).toISOString(),
      }),
      ...(confirmedBy && { confirmed_by: confirmedBy }),
    });
    return session;
  }

  /** Resolves when no gateway accepts the session any more. */
  endSession({ secret, keyId }: DoubleSession): Promise<void> {
    this.sessions.delete(secret);
    return this.changed([keyId]);
  }

  addCredential(options: CredentialOptions = {}): DoubleCredential {
    const password = options.password ?? randomText(40);
    const username = `smtp-${randomText(20, 'abcdefghijklmnopqrstuvwxyz0123456789')}`;
    const pepper = options.secretKeys ? new Pepper(options.secretKeys) : this.pepper;
    const known: KnownSmtpCredential = {
      credential_id: newId(),
      username,
      password_hash: pepper.hash(password).toString('base64'),
      pepper_id: pepper.keyId,
      account_id: options.accountId ?? newId(),
      sandbox: false,
      scope: 'global',
      domains: [],
      blocked: options.blocked ?? false,
      account: { ...DEFAULT_ACCOUNT, ...options.facts },
    };
    this.credentials.set(username, known);
    return { username, password, accountId: known.account_id, credentialId: known.credential_id };
  }

  /** Resolves when no gateway accepts the credential any more. */
  deleteCredential({ username, credentialId }: DoubleCredential): Promise<void> {
    this.credentials.delete(username);
    return this.changed([credentialId]);
  }

  /** Resolves when no gateway accepts the key any more. */
  deleteKey({ secret, keyId }: DoubleKey): Promise<void> {
    this.keys.delete(secret);
    this.accessKeys.delete(secret);
    return this.changed([keyId]);
  }

  /** Resolves when every gateway has applied the change. */
  limitAccount(accountId: string, rateLimits: KnownKey['rate_limits']): Promise<void> {
    const own = [...this.keys].filter(([, { principal }]) => principal.account_id === accountId);
    for (const [secret, key] of own) this.keys.set(secret, { ...key, rate_limits: rateLimits });
    return this.changed(own.map(([, { principal }]) => principal.key_id));
  }

  private async changed(keyIds: readonly string[]): Promise<void> {
    this.changes.push(...keyIds);
    this.awake();
    const behind = () =>
      [...this.leases.values()].some(
        (lease) => lease.acked < this.changes.length && lease.until > performance.now(),
      );
    while (behind()) await this.sleep(25);
  }

  leaseCount(): number {
    return [...this.leases.values()].filter((lease) => lease.until > performance.now()).length;
  }

  /** Requests of the sign-in, as they arrive. */
  route(request: IncomingMessage, response: ServerResponse): void {
    const { url, headers } = request;
    response.writeHead(202, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ url, headers }));
  }

  async inject(request: InternalRequest): Promise<InternalResponse> {
    if (this.away) throw new Error('away');
    const body = JSON.parse(JSON.stringify(request.body ?? null));
    if (request.path === '/internal/refused-requests' && this.reportStatus !== 200) {
      this.reports += 1;
      return { status: this.reportStatus, headers: {}, bytes: Buffer.from('{"message":"refused"}') };
    }
    const response = await this.response(request, body);
    return { status: 200, headers: {}, bytes: Buffer.from(JSON.stringify(response ?? null)) };
  }

  private async response({ method, path }: InternalRequest, body: unknown): Promise<unknown> {
    if (path === '/internal/keys/lookup') return this.lookUp(this.keys, KeyLookup.parse(body));
    if (path === '/internal/ses-credentials/lookup') {
      return this.lookUp(this.accessKeys, { hashes: SesKeyLookup.parse(body).access_key_ids });
    }
    if (path === '/internal/sessions/lookup') return this.lookUp(this.sessions, KeyLookup.parse(body));
    if (path === '/internal/audit') return this.note(AuditNote.parse(body));
    if (path === '/internal/audit/keys')
      return this.auditIsFull ? { id: null } : this.note(KeyAuditNote.parse(body));
    const noted = /^\/internal\/audit\/(.+)\/outcome$/.exec(path)?.[1];
    if (noted !== undefined) return this.endNote(noted, AuditOutcome.parse(body).status);
    if (path === '/internal/smtp-credentials/lookup') {
      return this.lookUpCredentials(SmtpCredentialLookup.parse(body));
    }
    if (path === '/internal/smtp-credentials/rehash') {
      return this.rehashes.push(...SmtpRehashes.parse(body).rehashes);
    }
    if (path === '/internal/refused-requests') return this.refuse(RefusedRequests.parse(body));
    if (path === '/internal/keys/used') return this.uses.push(...KeyUses.parse(body).uses);
    if (method === 'DELETE') {
      this.leases.delete(path.split('/').at(-1) ?? '');
      return this.awake();
    }
    return this.lease(CacheLeaseRequest.parse(body));
  }

  private refuse({ accounts }: RefusedRequests): void {
    for (const [accountId, { requests, left_out: count }] of Object.entries(accounts)) {
      const known = this.refused.get(accountId) ?? { requests: [], left_out: 0 };
      known.requests.push(...requests);
      this.refused.set(accountId, { ...known, left_out: known.left_out + count });
    }
  }

  private note(note: AuditNote | KeyAuditNote): AuditNoteResponse {
    const id = newId();
    this.notes.set(id, { note, status: null });
    return { id };
  }

  private endNote(id: string, status: number): AuditNoteResponse {
    const noted = this.notes.get(id);
    if (noted) noted.status = status;
    return { id };
  }

  private async lookUp(
    known: ReadonlyMap<string, KnownKey>,
    { hashes }: KeyLookup,
  ): Promise<KeyLookupResponse> {
    this.lookups += 1;
    const keys = [...known.values()].filter((key) => hashes.includes(key.hash));
    const revision = this.changes.length;
    await this.beforeLookupAnswer();
    return { revision, keys };
  }

  private async lookUpCredentials({
    usernames,
  }: SmtpCredentialLookup): Promise<SmtpCredentialLookupResponse> {
    this.lookups += 1;
    const credentials = usernames.flatMap((username) => this.credentials.get(username) ?? []);
    const revision = this.changes.length;
    await this.beforeLookupAnswer();
    return { revision, credentials };
  }

  private async lease({ instance, acked_revision: acked }: CacheLeaseRequest): Promise<CacheLeaseResponse> {
    const current = acked === null || acked === this.changes.length;
    const known = this.leases.get(instance);
    if (current) {
      this.leases.set(instance, { acked: this.changes.length, until: performance.now() + LEASE_MS });
    } else if (known) known.acked = Math.max(known.acked, acked);
    if (current && acked !== null) await this.sleep(this.holdMs);
    return {
      revision: this.changes.length,
      lease_ms: current ? LEASE_MS : 0,
      reset: acked === null,
      key_ids: this.changes.slice(acked ?? this.changes.length),
      account_ids: [],
    };
  }

  private awake(): void {
    for (const wake of this.wake.splice(0)) wake();
  }

  private sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.wake.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
}
