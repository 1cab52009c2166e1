import type { NameService } from '../dns/name-service.js';
import type { ZoneRecord } from '../dns/record-text.rules.js';

type MailExchanger = { exchange: string; priority: number };

/** A resolver in the manner of `dns.promises.resolve`, errors and all, that asks our own zones without a socket. */
export function letterResolver(names: NameService) {
  return async (name: string, type: string): Promise<(string | string[] | MailExchanger)[]> => {
    const reply = await names.recent(name, type.toUpperCase());
    const found = reply.records.filter(({ record }) => record.type === type.toUpperCase());
    if (reply.outcome === 'found' && found.length > 0) return found.map(({ record }) => plain(record));
    throw resolverError(type, name, ERROR_CODES[reply.outcome]);
  };
}

const ERROR_CODES = {
  found: 'ENODATA',
  'no-data': 'ENODATA',
  'no-name': 'ENOTFOUND',
  endless: 'ESERVFAIL',
  unknown: 'ESERVFAIL',
  failed: 'ESERVFAIL',
} as const;

function plain(record: ZoneRecord): string | string[] | MailExchanger {
  switch (record.type) {
    case 'TXT':
      return record.data.map((text) => text.toString());
    case 'MX':
      return { exchange: record.data.exchange, priority: record.data.preference };
    default:
      return record.data;
  }
}

function resolverError(type: string, name: string, code: string): Error & { code: string } {
  return Object.assign(new Error(`query${type} ${code} ${name}`), { code });
}
