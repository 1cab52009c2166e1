// DNS of the service and of its customers' domains.
import { fieldsOf, readNumber, readSwitch } from './requests.mjs';

const settingsPath = (id) => `/operator/domains/accounts/${encodeURIComponent(id)}/settings`;
const RECORDS = ['type', 'host', 'content'];

// Where `default` brings back what the installation has.
const orDefault = (read) => (text, name) => (text === 'default' ? null : read(text, name));
const text = (value) => value;

/** option → field, reader, and help */
const SETTINGS = {
  'dns-mode': ['dns_mode', orDefault(text), '<managed|manual>', 'DNS mode of new domains'],
  'domain-limit': ['domain_limit', orDefault(readNumber), '<count>', 'most domains'],
  'return-path-satisfies-spf': [
    'return_path_satisfies_spf',
    readSwitch,
    '<on|off>',
    'a valid return path counts as SPF',
  ],
  'dkim-selector': ['dkim_selector', orDefault(text), '<label>', 'selector of domains without their own'],
  'dkim-rotation-days': ['dkim_rotation_days', orDefault(readNumber), '<days>', 'how often keys are changed'],
  'tracking-subdomain': ['tracking_subdomain', orDefault(text), '<label>', 'subdomain for opens and clicks'],
  'return-path-subdomain': ['return_path_subdomain', orDefault(text), '<label>', 'subdomain for bounces'],
  'subscription-subdomain': [
    'subscription_subdomain',
    orDefault(text),
    '<label>',
    'subdomain for subscription pages',
  ],
  'media-subdomain': ['media_subdomain', orDefault(text), '<label>', 'subdomain for pictures'],
  'spf-host': ['spf_host', orDefault(text), '<host>', 'a partner’s own host in SPF records'],
  'return-path-host': [
    'return_path_host',
    orDefault(text),
    '<host>',
    'a partner’s own target of return paths',
  ],
  'tracking-host': ['tracking_host', orDefault(text), '<host>', 'a partner’s own target of tracking'],
  'mx-host': ['mx_host', orDefault(text), '<host>', 'a partner’s own MX'],
};

export const DOMAIN_COMMANDS = {
  'domain-settings': {
    usage: '<account id>',
    help: 'what holds for the domains of an account; with options, change it',
    about: 'What is not named stays; `default` as a value brings back what the installation has.',
    options: Object.fromEntries(
      Object.entries(SETTINGS).map(([option, [, , value, help]]) => [option, { value, help }]),
    ),
    examples: [
      'domain-settings <account id>',
      'domain-settings <account id> --domain-limit 50 --dns-mode manual',
    ],
    least: 1,
    most: 1,
    request: ([id], options) => {
      const change = fieldsOf(options, SETTINGS);
      return Object.keys(change).length === 0
        ? { path: settingsPath(id) }
        : { method: 'PUT', path: settingsPath(id), body: change };
    },
    fields: 'all',
  },
  'system-domain': {
    help: 'DNS records of the domain that Postmesh itself writes from; exit code 1 while they are not right',
    about:
      'The domain is that of POSTMESH_SYSTEM_SENDER. Publish these records, or its messages are not believed.',
    most: 0,
    request: () => ({ path: '/operator/domains/system-domain' }),
    tables: {
      '.': ['domain', 'dns_valid', 'last_dns_check_at'],
      dns_records: ['required', 'propagated', ...RECORDS],
    },
    whole: true,
    isBad: (response) => !response.dns_valid,
  },
  zone: {
    help: 'DNS records that have to be in the zone of the service',
    about: 'The zone is POSTMESH_SERVICE_ZONE; DKIM keys of managed domains are among them.',
    most: 0,
    request: () => ({ path: '/operator/domains/zone' }),
    tables: { serviceRecords: RECORDS },
    whole: true,
  },
};
