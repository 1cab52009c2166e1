import { z } from 'zod';
import { MEMBER_ROLES, type MemberRole } from '@postmesh/contracts';
import { setting, type Options, type Setting } from './setting.js';

/** Members of a group at the provider have a role in an account. */
export interface OidcGroup {
  readonly group: string;
  readonly accountId: string;
  readonly role: MemberRole;
}

const MAX_GROUPS = 500;

const Group = z
  .strictObject({ group: z.string().min(1).max(300), account_id: z.uuid(), role: z.enum(MEMBER_ROLES) })
  .transform(({ group, account_id, role }) => ({ group, accountId: account_id.toLowerCase(), role }));

/** JSON: `[{"group": "mail", "account_id": "…", "role": "Developer"}]`. */
export const oidcGroups = (options: Options<readonly OidcGroup[]>): Setting<readonly OidcGroup[]> =>
  setting('JSON list', options, (value) => {
    const example = '[{"group": "mail", "account_id": "…", "role": "Developer"}]';
    const parsed = z.array(Group).max(MAX_GROUPS).safeParse(readJson(value, example));
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    const place = issue && issue.path.length > 0 ? `${issue.path.join('.')} ` : '';
    throw new Error(`must be a JSON list of {group, account_id, role}: ${place}${issue?.message ?? ''}`);
  });

const GroupNames = z.array(z.string().min(1).max(300)).max(MAX_GROUPS);

/** JSON, since the name of a group may have a comma: `["mail-operators"]`. */
export const oidcGroupNames = (options: Options<readonly string[]>): Setting<readonly string[]> =>
  setting('JSON list', options, (value) => {
    const parsed = GroupNames.safeParse(readJson(value, '["mail-operators"]'));
    if (parsed.success) return parsed.data;
    throw new Error(`must be a JSON list of names: ${parsed.error.issues[0]?.message ?? ''}`);
  });

function readJson(value: string, example: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    throw new Error(`must be JSON: ${example}`);
  }
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** An issuer, unchanged: a slash at its end belongs to it. Client secrets and tokens travel over TLS, or never leave the machine. */
export const oidcIssuer = (options: Options<string | undefined>): Setting<string | undefined> =>
  setting('URL', options, (value) => {
    const url = URL.canParse(value) ? new URL(value) : undefined;
    const isPrivate =
      url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.includes(url.hostname));
    if (!url || !isPrivate) throw new Error('must be an https URL; http is for localhost alone');
    if (url.search !== '' || url.hash !== '' || url.pathname.includes('/.well-known/'))
      throw new Error('must be the issuer itself, without /.well-known/openid-configuration');
    return value;
  });

const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/;

export const oidcDomains = (options: Options<readonly string[]>): Setting<readonly string[]> =>
  setting('comma-separated domains', options, (value) => {
    const domains = value.split(',').map((item) => item.trim().toLowerCase());
    const wrong = domains.find((domain) => !DOMAIN.test(domain));
    if (wrong !== undefined) throw new Error(`'${wrong}' is not a domain`);
    return domains;
  });
