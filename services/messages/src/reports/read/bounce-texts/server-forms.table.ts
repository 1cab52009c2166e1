import type { FormInput } from './forms.schema.js';

const { raw } = String;

/** Writers of bounces: a name or a local part that no person has. */
export const DAEMON = raw`mailer[-_ ]?daemon|post-?master|mail(?:er)? (?:delivery|administrator|system|server)|(?:system|e-?mail) administrator|delivery (?:sub)?system|mailer@|mdaemon|bounce-?daemon|mail router|microsoft ?exchange|microsoft outlook`;

const EXIM_TEXT = raw`message was created automatically by (?:the )?mail delivery (?:software|system)`;
const ADDRESSES_FAILED = raw`following address(?:\(es\)|es)?(?: has| have)? failed:?`;
/** Microsoft's headline above codes, as its servers translate it. */
const DIAGNOSTICS = [
  'Diagnostic information for administrators',
  'Diagnoseinformationen für Administratoren',
  'Informations de diagnostic pour les administrateurs',
  'Información de diagnóstico para los administradores',
  'Informazioni di diagnostica per gli amministratori',
  'Informações de diagnóstico para (?:os )?administradores',
  'Diagnostische (?:gegevens|informatie) voor beheerders',
  'Diagnostikinformation för administratörer',
  'Informacje diagnostyczne dla administratorów',
  'Диагностические сведения для администраторов',
  '管理者向けの診断情報',
  '向管理员提供的诊断信息',
].join('|');

/** Forms of server programs at any site. After those of providers, some of which use them. */
export const SERVER_FORMS: readonly FormInput[] = [
  {
    id: 'amavis',
    writer: 'amavis content filter',
    when: [{ from: raw`content-filter at` }],
    reason: ['code', 'below-address'],
    about: { kind: 'content', class: 'PolicyRelated', over: 'always' },
    samples: ['amavis'],
  },
  {
    id: 'gateway',
    writer: 'filtering gateways before a mail server',
    when: [
      { header: 'x-msg-ref', from: DAEMON },
      { header: 'x-mxl-*', from: DAEMON },
      { header: 'x-nai-*', from: DAEMON },
      { header: 'x-mimecast-*', from: DAEMON },
      { header: 'x-barracuda-*', from: DAEMON },
      { header: 'x-proofpoint-*', from: DAEMON },
      { header: 'x-ironport-*', from: DAEMON },
      { header: 'x-fortimail-*', from: DAEMON },
    ],
    reason: ['code', 'below-address'],
    about: { kind: 'spam', class: 'PolicyRelated', over: 'unless-known' },
    samples: ['gateway-dsn', 'gateway-text'],
  },
  {
    id: 'powermta',
    writer: 'PowerMTA',
    when: [{ subject: '^delivery report', from: DAEMON }, { statusField: 'x-powermta-*' }],
    reason: ['code', 'below-address'],
    samples: ['powermta'],
  },
  {
    id: 'postfix-delayed',
    writer: 'Postfix, its warning',
    when: [{ statusField: 'x-postfix-queue-id', subject: 'delayed mail' }],
    action: 'delayed',
    samples: ['postfix-delayed'],
  },
  {
    id: 'postfix',
    writer: 'Postfix',
    when: [
      { statusField: 'x-postfix-queue-id' },
      { text: raw`this is the (?:postfix program|mail system) at host`, from: DAEMON },
    ],
    samples: [
      'postfix-failed',
      'postfix-relayed',
      'postfix-expanded',
      'postfix-delivered',
      'postfix-given-up',
      'postfix-two-recipients',
      'postfix-forwarded',
      'postfix-text-only',
    ],
  },
  {
    id: 'sendmail-warning',
    writer: 'Sendmail, its warning',
    when: [{ subject: '^warning: could not send message' }],
    action: 'delayed',
    samples: ['sendmail-warning'],
  },
  {
    id: 'sendmail',
    writer: 'Sendmail',
    when: [{ text: 'transcript of session follows', from: DAEMON }],
    recipientAfter: ['had permanent fatal errors'],
    reason: ['behind-words', 'below-address'],
    reasonAfter: ['transcript of session follows'],
    samples: ['sendmail', 'sendmail-text'],
  },
  {
    id: 'exim-warning',
    writer: 'Exim, its warning',
    when: [{ subject: raw`^warning: message .{0,60}delayed` }],
    action: 'delayed',
    samples: ['exim-warning'],
  },
  {
    id: 'gmx',
    writer: 'GMX, 1&1',
    when: [{ text: 'the header of the original message', from: DAEMON }],
    recipientAfter: [ADDRESSES_FAILED],
    samples: ['gmx'],
  },
  {
    id: 'exim',
    writer: 'Exim',
    when: [
      { header: 'x-failed-recipients', text: EXIM_TEXT },
      { text: EXIM_TEXT, from: DAEMON },
    ],
    recipientAfter: [ADDRESSES_FAILED],
    samples: ['exim-text', 'exim-dsn', 'exim-greylisted'],
  },
  {
    id: 'qmail',
    writer: 'qmail and its children',
    when: [{ text: 'this is the qmail-send program', from: DAEMON }],
    recipientAfter: ['deliver your message to the following addresses'],
    samples: ['qmail', 'qmail-given-up'],
  },
  {
    id: 'exchange-2003',
    writer: 'Exchange 2003',
    when: [{ text: 'did not reach the following recipient', from: DAEMON }],
    recipientAfter: [raw`did not reach the following recipient(?:\(s\))?:?`],
    reason: ['code', 'below-address'],
    samples: ['exchange-2003'],
  },
  {
    id: 'exchange-2007',
    writer: 'Exchange 2007 and newer',
    when: [{ text: DIAGNOSTICS, from: DAEMON }],
    recipientAfter: [raw`(?:${DIAGNOSTICS}):?`],
    samples: ['exchange-2007', 'exchange-2010-german'],
  },
  {
    id: 'oracle',
    writer: 'Oracle Communications Messaging Server',
    when: [{ boundary: raw`^boundary_\(id_`, from: DAEMON }],
    recipientAfter: ['recipient address:'],
    reason: ['behind-words'],
    reasonAfter: ['diagnostic code:', 'reason:'],
    samples: ['oracle'],
  },
  {
    id: 'courier',
    writer: 'Courier',
    when: [{ header: 'message-id', says: raw`<courier\.`, from: 'courier mail server' }],
    samples: ['courier'],
  },
  {
    id: 'domino',
    writer: 'HCL Domino',
    when: [{ subject: '^delivery failure:' }],
    recipientAfter: [raw`was not delivered to:`],
    reason: ['behind-words', 'subject'],
    reasonAfter: [raw`\nbecause:`],
    samples: ['domino', 'domino-dsn'],
  },
  {
    id: 'notes',
    writer: 'Lotus Notes',
    when: [{ text: raw`-{4,12} ?failure reasons`, from: DAEMON }],
    reason: ['behind-words'],
    reasonAfter: [raw`failure reasons {0,4}-{4,12}`],
    samples: ['notes'],
  },
  {
    id: 'opensmtpd-warning',
    writer: 'OpenSMTPD, its warning',
    when: [{ text: 'this is the mailer-daemon, please do not reply', subject: 'delay' }],
    action: 'delayed',
    samples: ['opensmtpd-warning'],
  },
  {
    id: 'opensmtpd',
    writer: 'OpenSMTPD',
    when: [{ text: 'this is the mailer-daemon, please do not reply', from: DAEMON }],
    recipientAfter: ['following list of recipients:'],
    samples: ['opensmtpd'],
  },
  {
    id: 'james',
    writer: 'Apache James',
    when: [
      { subject: raw`^\[bounce\]`, from: DAEMON },
      { text: 'this is the james mail server', from: DAEMON },
    ],
    recipientAfter: [raw`failed recipient\(s\):`],
    reason: ['behind-words'],
    reasonAfter: ['error message:'],
    samples: ['james'],
  },
  {
    id: 'imail',
    writer: 'IMail',
    when: [{ header: 'x-mailer', says: '<smtp32', from: DAEMON }],
    samples: ['imail', 'imail-full'],
  },
];

/** Other writers in the style of a mail server: only with a code for the failure. */
export const OTHER_MAILER: FormInput = {
  id: 'other-mailer',
  writer: 'any other mail server',
  when: [
    {
      from: DAEMON,
      subject: raw`undeliver|not delivered|could ?n.t be delivered|delivery (?:status|failure|failed|error|problem)|failure notice|failed delivery|mail (?:failure|error)|returned (?:mail|to sender)|message rejected|bounce|unzustellbar|zustellung|nicht zugestellt|non (?:remis|distribu|livr)|[ée]chec|no (?:se )?(?:pudo )?entreg|no entregad|devuelt|n[ãa]o (?:foi )?entreg|devolvid|mancat[ao] (?:recapito|consegna)|non recapitat|onbestelbaar|niet (?:worden )?(?:bezorgd|afgeleverd)|kunde inte levereras|kunne ikke leveres|niedostarczon|nie dostarcz|nedoru[čc]|teslim edilemedi|не доставлен|недоставлен|возвращ|未送達|配信(?:できません|不能|エラー)|送信(?:できません|エラー)|退信|无法投递|無法投遞|반송`,
    },
  ],
  reason: ['code'],
  samples: ['other-german', 'other-japanese', 'other-russian', 'other-html'],
};
