import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { MailHostsResponse, MAX_MAIL_DOMAINS, type MailHosts } from '@postmesh/delivery-worker-contract';
import { Transient } from '@postmesh/contracts';
import { RecipientShields, type Shield } from '@postmesh/mail-format';
import { InternalClient } from '@postmesh/http';
import type { Logger } from '@postmesh/observability';
import { LOGGER, SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { audienceOf, type Audience } from '../segments/audience.sql.js';
import { lockClaimed, type Claimed } from './campaign-claims.js';
import {
  contactVerdict,
  partsOf,
  type CheckedContacts,
  type ContactVerdict,
  type DomainKnowledge,
} from './contact-check.rules.js';

// Spec 3-marketing §6 rule 3.
const MAX_CONTACTS = 10_000;
const KNOWN_DAYS = 30;
// The number of contacts that one transaction locks briefly.
const CHUNK = 500;

interface Contact {
  id: string;
  email: string;
}

/** Contacts that were never validated, or long ago; a random sample when there are more. */
const toCheck = ({ text, parameters }: Audience): string => `
  select contacts.id, contacts.email from contacts
  where contacts.id in (select contact_id from (${text}) as members)
    and (last_validated_at is null or last_validated_at < now() - interval '${KNOWN_DAYS} days')
  order by random() limit $${parameters.length + 1}`;

// An address that was changed in the meantime was not checked.
const WRITE = `update contacts set validation_status = given.verdict, last_validated_at = now()
  from unnest($1::uuid[], $2::text[], $3::text[]) as given(id, email, verdict)
  where contacts.id = given.id and contacts.email = given.email`;

/** The check of a campaign's lists while it validates (spec 3-marketing §6 rule 3): syntax, lists of domains, DNS. */
@Injectable()
export class CheckContacts implements OnModuleInit {
  private shields: RecipientShields | undefined;

  constructor(
    private readonly dataSource: DataSource,
    private readonly client: InternalClient,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async onModuleInit(): Promise<void> {
    this.shields = await RecipientShields.load(this.settings, this.logger);
  }

  /**
   * Results are stored batch by batch: a restarted check continues where the previous one stopped.
   * @param progressed called after each batch
   * @throws LeaseLost, Transient
   */
  async execute(
    claimed: Claimed,
    { progressed, signal }: { progressed: () => void; signal: AbortSignal },
  ): Promise<CheckedContacts> {
    const { id } = claimed.campaign;
    const before = await readChecked(this.dataSource, id);
    const audience = await audienceOf(this.dataSource, id);
    const contacts: Contact[] = await this.dataSource.query(toCheck(audience), [
      ...audience.parameters,
      MAX_CONTACTS - before.checked,
    ]);
    const domains = new DomainChecks(this.client, await this.shield());
    for (let at = 0; at < contacts.length; at += CHUNK) {
      signal.throwIfAborted();
      const chunk = contacts.slice(at, at + CHUNK);
      await domains.look(chunk, progressed);
      const verdicts = chunk.map(({ email }) => contactVerdict(email, (domain) => domains.of(domain)));
      await this.dataSource.transaction((tx) => record(tx, claimed, { chunk, verdicts }));
      progressed();
    }
    return readChecked(this.dataSource, id);
  }

  private shield(): Promise<Shield> {
    if (!this.shields) throw new Error('the lists of domains are not loaded');
    return this.shields.of({ reject_bad_recipients: true, reject_mistyped_recipients: true });
  }
}

async function readChecked(
  database: Pick<EntityManager, 'query'>,
  campaignId: string,
): Promise<CheckedContacts> {
  const [row]: CheckedContacts[] = await database.query(
    'select checked_contacts as checked, invalid_contacts as invalid from campaigns where id = $1',
    [campaignId],
  );
  return row ?? { checked: 0, invalid: 0 };
}

async function record(
  tx: EntityManager,
  claimed: Claimed,
  { chunk, verdicts }: { chunk: readonly Contact[]; verdicts: readonly ContactVerdict[] },
): Promise<void> {
  const ids = chunk.map(({ id }) => id);
  // contacts first and in the order of their ids, like every transaction that changes them
  await tx.query('select from contacts where id = any($1::uuid[]) order by id for update', [ids]);
  await lockClaimed(tx, claimed);
  await tx.query(WRITE, [ids, chunk.map(({ email }) => email), verdicts]);
  await tx.query(
    `update campaigns set checked_contacts = checked_contacts + $2, invalid_contacts = invalid_contacts + $3
     where id = $1`,
    [claimed.campaign.id, chunk.length, verdicts.filter((verdict) => verdict === 'invalid').length],
  );
}

/** The domains of one check: each is looked up once. */
class DomainChecks {
  private readonly known = new Map<string, MailHosts>();

  constructor(
    private readonly client: InternalClient,
    private readonly shield: Shield,
  ) {}

  async look(contacts: readonly Contact[], progressed: () => void): Promise<void> {
    const named = contacts.flatMap(({ email }) => partsOf(email)?.domain ?? []);
    const wanted = [...new Set(named)].filter((domain) => !this.known.has(domain));
    for (let at = 0; at < wanted.length; at += MAX_MAIL_DOMAINS) {
      const body = { domains: wanted.slice(at, at + MAX_MAIL_DOMAINS) };
      const request = { method: 'POST' as const, path: '/internal/mail-hosts', body };
      const response = await this.client.request('delivery-worker', request, MailHostsResponse);
      if (!response) throw new Transient('the delivery worker knows no mail hosts');
      for (const { domain, hosts } of response.domains) this.known.set(domain, hosts);
      progressed();
    }
  }

  of(domain: string): DomainKnowledge {
    return { hosts: this.known.get(domain) ?? 'unknown', isListed: this.shield(domain) !== undefined };
  }
}
