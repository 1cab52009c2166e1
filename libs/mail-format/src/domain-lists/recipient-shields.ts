import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { z } from 'zod';
import type { Logger } from '@postmesh/observability';
import type { Settings } from '@postmesh/settings';
import { DomainListFile } from './domain-lists.js';
import { MISTYPED_DOMAINS } from './mistyped-domains.table.js';
import { shieldOf, type Shield, type ShieldFacts, type ShieldLists } from './recipient-shields.rules.js';

const DISPOSABLE = 'disposable-email-domains-js/dist/dict/disposable_email_blocklist.json';
const OPEN: Shield = () => undefined;

type ListSettings = Pick<Settings, 'toxicDomainsFile' | 'mistypedDomainsFile'>;

/** Recipients to whom an account does not want to send: by the operator's lists, else by those that come with Postmesh. */
export class RecipientShields {
  private readonly toxicFile: DomainListFile | undefined;
  private readonly mistypedFile: DomainListFile | undefined;
  private readonly own: ShieldLists = { toxic: new Set(), mistyped: new Set(MISTYPED_DOMAINS) };

  private constructor(
    { toxicDomainsFile, mistypedDomainsFile }: ListSettings,
    logger: Pick<Logger, 'error'>,
  ) {
    const onTrouble = (error: unknown) =>
      logger.error(
        { event: 'recipient_shields.list_unreadable', err: error },
        'list of domains unreadable, the last good one stays in force',
      );
    if (toxicDomainsFile !== undefined) this.toxicFile = new DomainListFile(toxicDomainsFile, { onTrouble });
    if (mistypedDomainsFile !== undefined)
      this.mistypedFile = new DomainListFile(mistypedDomainsFile, { onTrouble });
  }

  /** @throws Error that names the operator's file that cannot be read */
  static async load(settings: ListSettings, logger: Pick<Logger, 'error'>): Promise<RecipientShields> {
    const shields = new RecipientShields(settings, logger);
    await shields.toxicFile?.load();
    await shields.mistypedFile?.load();
    if (!shields.toxicFile) shields.own.toxic = await (disposable ??= readDisposable());
    return shields;
  }

  /** The shield of an account by its current settings. */
  async of(account: ShieldFacts): Promise<Shield> {
    if (!account.reject_bad_recipients && !account.reject_mistyped_recipients) return OPEN;
    return shieldOf(account, {
      toxic: (await this.toxicFile?.current()) ?? this.own.toxic,
      mistyped: (await this.mistypedFile?.current()) ?? this.own.mistyped,
    });
  }
}

/** One list for all services of a process. */
let disposable: Promise<ReadonlySet<string>> | undefined;

/** Without the listed misspellings: those are rejected with a text of their own, and only for accounts that want it. */
async function readDisposable(): Promise<ReadonlySet<string>> {
  const file = createRequire(import.meta.url).resolve(DISPOSABLE);
  const names = new Set(z.array(z.string()).parse(JSON.parse(await readFile(file, 'utf8'))));
  for (const name of MISTYPED_DOMAINS) names.delete(name);
  return names;
}
