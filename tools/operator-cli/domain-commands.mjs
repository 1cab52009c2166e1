// @ts-check
// Sending domains: their problems, and the actions of an operator.
import { OperatorTrouble } from './requests.mjs';
import { printable } from './terminal.mjs';

const accountDomainPath = (account = '', domain = '') =>
  `/operator/domains/accounts/${encodeURIComponent(account)}/domains/${encodeURIComponent(domain)}`;

const dnsHostsPath = (account = '', id = '') =>
  `/operator/domains/accounts/${encodeURIComponent(account)}/dns-hosts${id === '' ? '' : `/${encodeURIComponent(id)}`}`;

/** @type {import('./requests.mjs').Commands} */
export const DOMAIN_COMMANDS = {
  domain: {
    usage: '<name>',
    help: 'a sending domain in every account that has it: records with their problems, key rotation, pauses, locks',
    least: 1,
    most: 1,
    request: ([name = '']) => ({ path: `/operator/domains/domains/${encodeURIComponent(name)}` }),
    text: reportText,
  },
  'domain-pause': {
    usage: '<account id> <name> <reason>',
    help: 'stop an account from sending from one of its domains',
    about:
      'API sends get 403 from the next request on, sandbox messages are accepted; other domains are not affected. The reason is for operators; the account sees pause_reason operator.',
    least: 3,
    request: ([account, name, ...reason]) => ({
      method: 'POST',
      path: `${accountDomainPath(account, name)}/pause`,
      body: { reason: reason.join(' ') },
    }),
    text: reportText,
  },
  'domain-unpause': {
    usage: '<account id> <name>',
    help: 'end the pause of a domain; earlier bounces no longer count',
    least: 2,
    most: 2,
    request: ([account, name]) => ({
      method: 'POST',
      path: `${accountDomainPath(account, name)}/unpause`,
    }),
    text: reportText,
  },
  'domain-unlock': {
    usage: '<account id> <name> <field …>',
    help: 'let its owner change locked fields once more',
    about:
      'Fields: tracking_subdomain, return_path_subdomain, subscription_subdomain, media_subdomain, dkim_selector. A new selector signs after a check has found its record; until then the old one signs.',
    examples: ['domain-unlock <account id> mail.example.com tracking_subdomain'],
    least: 3,
    request: ([account, name, ...fields]) => ({
      method: 'POST',
      path: `${accountDomainPath(account, name)}/unlock`,
      body: { fields },
    }),
    text: reportText,
  },
  'provider-views': {
    usage: '[set gmail <client id> | set snds | remove <gmail | snds>]',
    help: 'credentials for the figures that mailbox providers have of your domains',
    about: [
      'Without words it lists them. `set gmail` takes an OAuth client of Google and a refresh token of a user who sees the domains',
      'in Postmaster Tools, for the scope https://www.googleapis.com/auth/postmaster.traffic.readonly. The secrets are read from',
      'POSTMESH_PROVIDER_SECRET and POSTMESH_PROVIDER_REFRESH_TOKEN of this command, so that no list of processes shows them. They',
      'are tried once, stored encrypted and never shown again. `set snds` takes the key of “Automated Data Access” of Microsoft SNDS',
      'from POSTMESH_PROVIDER_SECRET. The doctor of a domain shows the figures.',
    ].join('\n'),
    examples: ['provider-views'],
    most: 3,
    run: async ([action, provider, clientId], _, { env, ask }) => {
      const path = '/operator/domains/provider-views';
      if (action === undefined) return ask({ path });
      if (!['gmail', 'snds'].includes(provider ?? '') || !['set', 'remove'].includes(action))
        throw new OperatorTrouble(
          'provider-views takes set gmail <client id>, set snds, or remove and one of them',
        );
      if (action === 'remove') return ask({ method: 'DELETE', path: `${path}/${provider}` });
      const { POSTMESH_PROVIDER_SECRET: secret, POSTMESH_PROVIDER_REFRESH_TOKEN: token } = env;
      if (provider === 'snds') {
        if (!secret || clientId)
          throw new OperatorTrouble('set POSTMESH_PROVIDER_SECRET to the key, and name nothing else');
        return ask({ method: 'PUT', path: `${path}/snds`, body: { key: secret } });
      }
      if (!clientId || !secret || !token)
        throw new OperatorTrouble(
          'name the client id, and set POSTMESH_PROVIDER_SECRET and POSTMESH_PROVIDER_REFRESH_TOKEN',
        );
      const body = { client_id: clientId, client_secret: secret, refresh_token: token };
      return ask({ method: 'PUT', path: `${path}/gmail`, body });
    },
    tables: { data: ['provider', 'client_id', 'given_by', 'given_at'] },
  },
  'dns-hosts': {
    usage: '<account id>',
    help: 'zones of an account whose records are written at their DNS host',
    least: 1,
    most: 1,
    request: ([account]) => ({ path: dnsHostsPath(account) }),
    tables: { data: ['id', 'zone', 'host', 'allow_rotation', 'rotation_problem', 'created_at'] },
  },
  'dns-host-add': {
    usage: '<account id> <zone> <cloudflare | route53 | desec>',
    help: 'give the token of a DNS host, so that the account can have its records written there',
    about:
      'The token is read from POSTMESH_DNS_HOST_TOKEN of this command, so that no list of processes shows it. It is tried once, stored encrypted and never shown again; it takes the place of an earlier one for the zone.',
    options: {
      'key-id': { value: 'id', help: 'access key id, Route 53 only' },
      'allow-rotation': { help: 'write DKIM records without a request as well' },
    },
    least: 3,
    most: 3,
    run: ([account, zone, host], options, { env, ask }) => {
      const token = env['POSTMESH_DNS_HOST_TOKEN'];
      if (!token) throw new OperatorTrouble('set POSTMESH_DNS_HOST_TOKEN to the token of the DNS host');
      const keyId = options['key-id'];
      const body = { zone, host, token, allow_rotation: options['allow-rotation'] === true };
      return ask({
        method: 'POST',
        path: dnsHostsPath(account),
        body: { ...body, ...(keyId === undefined ? {} : { access_key_id: keyId }) },
      });
    },
    fields: ['id', 'zone', 'host', 'access_key_id', 'allow_rotation'],
  },
  'dns-host-remove': {
    usage: '<account id> <id>',
    help: 'delete the token of a DNS host; records stay as they are',
    least: 2,
    most: 2,
    request: ([account, id]) => ({ method: 'DELETE', path: dnsHostsPath(account, id) }),
    fields: ['removed'],
  },
};

/** @param {{ data: any[], has_more: boolean, notice?: string }} response @returns {string} */
function reportText(response) {
  const { data, has_more, notice } = JSON.parse(JSON.stringify(response), (_, value) =>
    typeof value === 'string' ? printable(value) : value,
  );
  const more = has_more ? ['more accounts have this domain than are shown'] : [];
  return [...(notice === undefined ? [] : [notice]), ...data.map(domainText), ...more].join('\n\n');
}

/** @param {any} domain @returns {string} */
function domainText(domain) {
  const lines = [
    ['account', domain.account_id],
    ['id', domain.id],
    ['state', `${domain.state} since ${domain.state_since}${domain.dns_valid ? '' : ', cannot send'}`],
    ['checked', `${domain.last_dns_check_at ?? 'never'}, next ${domain.next_dns_check_at}`],
    ['made', `${domain.created_at}, ${domain.dns_mode} DNS, ${domain.sending_type}`],
    ['sending', sendingText(domain)],
    ['DKIM', dkimText(domain)],
    ...domain.locks.map(({ field, value, unlocked }) => [
      'locked',
      `${field} ${value}${unlocked ? ' (unlocked for one change)' : ''}`,
    ]),
  ];
  const width = Math.max(...lines.map(([name]) => name.length));
  return [
    domain.domain,
    ...lines.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`),
    '  records',
    ...domain.dns_records.flatMap(recordLines),
    ...(domain.pauses.length > 0
      ? ['  pauses', ...domain.pauses.map((pause) => `    ${pauseText(pause)}`)]
      : []),
  ].join('\n');
}

const sendingText = ({ paused, paused_at, pause_reason, pauses: [last] }) =>
  paused ? `PAUSED since ${paused_at}, ${pause_reason}${last ? ` by ${last.paused_by}` : ''}` : 'not paused';

function dkimText({
  dkim: { selector, waiting, rotation },
  dkim_rotation_interval_days: own,
  rotation_ready,
}) {
  const parts = [`signs with selector ${selector}`];
  if (waiting) parts.push(`a new ${waiting} signs once its record is seen`);
  if (rotation) {
    const { interval_days, in_progress, started_at, verified_at, switched_at, next_at, reason } = rotation;
    const steps = [
      in_progress ? `rotation since ${started_at}` : 'no rotation in progress',
      ...(verified_at ? [`standby key seen ${verified_at}`] : []),
      ...(switched_at ? [`switched ${switched_at}`] : []),
      `${rotation_ready ? 'standby record seen' : 'standby record NOT seen'}`,
      `every ${interval_days} days${own === null ? ' (default)' : ''}`,
      `next check ${next_at}${reason ? ` (${reason})` : ''}`,
    ];
    parts.push(...steps);
  }
  return parts.join('; ');
}

/** A right record in one line; a wrong one with the found and the wanted value and advice. */
function recordLines({ label, type, host, content, required, propagated, judged, explanation }) {
  const state = propagated ? 'ok' : !judged ? 'not checked' : required ? 'WRONG' : 'missing';
  const head = `    ${state.padEnd(13)}  ${label.padEnd(12)}  ${type.padEnd(5)}  ${host}`;
  const line = (name, text) => `      ${name.padEnd(8)}  ${text}`;
  if (explanation) {
    const { found, wanted, advice } = explanation;
    return [head, line('found', found), line('wanted', wanted), line('to do', advice)];
  }
  return propagated ? [head] : [head, line('wanted', content)];
}

function pauseText({ paused_at, reason, paused_by, note, delivered, bounced, lifted_at, lifted_by }) {
  const figures = bounced === null ? '' : `, ${bounced} of ${bounced + delivered} bounced`;
  const end = lifted_at ? `lifted ${lifted_at} by ${lifted_by}` : 'lasts';
  return `${paused_at}  ${reason} by ${paused_by}${figures}${note ? `: ${note}` : ''}; ${end}`;
}
