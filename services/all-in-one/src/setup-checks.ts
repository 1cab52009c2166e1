import { access, constants } from 'node:fs/promises';
import { Resolver } from 'node:dns/promises';
import { checkEgress } from '@postmesh/delivery-worker';
import { zoneRecords } from '@postmesh/domains';
import { loadSettings, requireDeliverable, type Settings } from '@postmesh/settings';
import { isPublished } from './published-record.rules.js';

/** One finding, in the words of `doctor`. */
interface Check {
  readonly check: string;
  readonly ok: boolean;
  readonly detail: string;
}

const DNS = { timeout: 3_000, tries: 2 };

type Env = Record<string, string | undefined>;

/** @throws SettingsError for settings with which no process would start */
export function requireSettings(env: Env): Settings {
  const settings = loadSettings(env);
  requireDeliverable(settings);
  return settings;
}

/**
 * Checks settings before the first start: the records of the zone, the names of the addresses, port 25 and the files.
 * @throws SettingsError
 */
export async function checkSettings(env: Env): Promise<{ checks: Check[] }> {
  const settings = requireSettings(env);
  const resolver = new Resolver(DNS);
  if (settings.dnsServers.length > 0) resolver.setServers([...settings.dnsServers]);
  const [zone, api, files, egress] = await Promise.all([
    Promise.all(zoneRecords(settings).map((record) => checkRecord(resolver, record))),
    checkApi(resolver, settings),
    checkFiles(settings),
    checkEgress(settings),
  ]);
  return { checks: [...api, ...egress, ...zone, ...files] };
}

type Wanted = ReturnType<typeof zoneRecords>[number];

async function checkRecord(resolver: Resolver, { type, host, content }: Wanted): Promise<Check> {
  const check = `${host} ${type}`;
  try {
    const found = (await look(resolver, type, host)).map((text) => text.toLowerCase());
    if (found.some((text) => isPublished(text, content.toLowerCase())))
      return { check, ok: true, detail: 'yes' };
    const now = found.length === 0 ? 'it is not there' : `it is ${found.join(', ')}`;
    return { check, ok: false, detail: `${now}; publish ${host} ${type} ${content}` };
  } catch (error) {
    return { check, ok: false, detail: `${codeOf(error)}; publish ${host} ${type} ${content}` };
  }
}

async function look(resolver: Resolver, type: Wanted['type'], host: string): Promise<string[]> {
  if (type === 'A') return resolver.resolve4(host);
  if (type === 'AAAA') return resolver.resolve6(host);
  if (type === 'CNAME') return resolver.resolveCname(host);
  if (type === 'TXT') return (await resolver.resolveTxt(host)).map((parts) => parts.join(''));
  return (await resolver.resolveMx(host)).map(({ priority, exchange }) => `${priority} ${exchange}`);
}

async function checkApi(resolver: Resolver, { baseUrl }: Settings): Promise<Check[]> {
  const { protocol, hostname } = new URL(baseUrl ?? 'http://localhost');
  const isPublic = protocol === 'https:' && hostname !== 'localhost';
  const check = `the API has a public address, ${hostname}`;
  if (!isPublic) return [{ check, ok: false, detail: 'set POSTMESH_BASE_URL to its https address' }];
  const found = await resolver.resolve4(hostname).catch(() => [] as string[]);
  const detail =
    found.length > 0 ? `it leads to ${found.join(', ')}` : `publish ${hostname} A <address of this machine>`;
  return [{ check, ok: found.length > 0, detail }];
}

/** A certificate that a proxy fetches later does not exist before the first start. */
async function checkFiles({ smtpTlsCertFile, smtpTlsKeyFile }: Settings): Promise<Check[]> {
  const files = [smtpTlsCertFile, smtpTlsKeyFile].filter((file) => file !== undefined);
  if (files.length === 0)
    return [
      {
        check: 'SMTP has a certificate',
        ok: false,
        detail:
          'clients refuse the self-signed one; set POSTMESH_SMTP_TLS_CERT_FILE and POSTMESH_SMTP_TLS_KEY_FILE',
      },
    ];
  return Promise.all(
    files.map((file) =>
      access(file, constants.R_OK).then(
        () => ({ check: `${file} can be read`, ok: true, detail: 'yes' }),
        (error: unknown) => ({ check: `${file} can be read`, ok: false, detail: codeOf(error) }),
      ),
    ),
  );
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'DNS gave no answer';
