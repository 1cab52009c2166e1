import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { KeyAuditNote } from '@postmesh/accounts-contract';
import { AccountId } from '@postmesh/contracts';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { AuditLog, keyActor, SYSTEM } from './audit-log.js';

/** Entries of changes by API keys in services without an audit, up to the bound of their account and day (decision 131). */
@Injectable()
export class KeyAudit {
  constructor(
    private readonly dataSource: DataSource,
    private readonly audit: AuditLog,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'auditKeysPerDay'>,
  ) {}

  /** @returns the id of the entry; null beyond the bound, which the last entry of the day says */
  begin({ key_id, account_id, action, subject_id }: KeyAuditNote): Promise<string | null> {
    const most = this.settings.auditKeysPerDay;
    return this.dataSource.transaction(async (tx) => {
      const number = await countOne(tx, account_id);
      const entry = { accountId: AccountId.parse(account_id), subjectId: subject_id };
      if (number <= most) return this.audit.begin(tx, { ...entry, actor: keyActor(key_id), action });
      if (number === most + 1) {
        const details = { entries: most };
        await this.audit.record(tx, {
          ...entry,
          actor: SYSTEM,
          action: 'audit.full',
          subjectId: null,
          details,
        });
      }
      return null;
    });
  }
}

/** A day is in UTC. Changes of one account wait for each other here, those of several do not. */
async function countOne(tx: EntityManager, accountId: string): Promise<number> {
  const [row]: { entries: number }[] = await tx.query(
    `insert into audit_days as known (account_id, day, entries)
     values ($1, (now() at time zone 'utc')::date, 1)
     on conflict (account_id) do update set day = excluded.day,
       entries = case when known.day = excluded.day then known.entries + 1 else 1 end
     returning entries`,
    [accountId],
  );
  return row?.entries ?? 0;
}
