import { LinkTokens } from '@postmesh/public-links';
import type { MessageFacts } from './recipient-messages.js';
import type { StoredContent } from './request-content.js';

const ANN = '01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a01';
const BOB = '01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a02';
const ACCOUNT = '0198ac00-0000-7000-8000-000000000001';

const FACTS: MessageFacts = {
  id: BOB,
  email: 'bob@mail.test',
  accountId: ACCOUNT,
  sendRequestId: ANN,
  domainId: '0198d000-0000-7000-8000-000000000001',
  domain: 'shop.test',
  returnPathHost: 'rp.shop.test',
  trackingHost: 'track.shop.test',
};

const tokens = new LinkTokens(['the golden key of thirty-two chars']);
const unsubscribe = { kind: 'unsubscribe', messageId: BOB, accountId: ACCOUNT, domain: 'shop.test' } as const;
const UNSUBSCRIBE_URL = `https://subs.shop.test/u/${tokens.sign({ ...unsubscribe, recipient: FACTS.email })}`;

const COMMON = {
  from: { email: 'orders@shop.test', name: 'Shop' },
  date: new Date('2026-01-05T08:00:00Z'),
} as const;

const LOGO = {
  fileName: 'logo.png',
  contentType: 'image/png',
  disposition: 'inline',
  contentId: '<logo@shop>',
  content: Buffer.from('not really a picture'),
} as const;

const INVITATION = {
  fileName: 'Einladung für März.ics',
  contentType: 'text/calendar; method=REQUEST; charset=UTF-8',
  disposition: 'attachment',
  content: Buffer.from('BEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\nEND:VCALENDAR\r\n'),
} as const;

/** A message submitted by a client, as it is stored: our trace fields come first. */
function rawOf(...lines: readonly (string | Buffer)[]): StoredContent {
  const received = [
    'Received: by smtp.mail.test with ESMTPSA id 01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a01;',
    '\tMon, 05 Jan 2026 08:00:00 +0000',
  ];
  const common = [
    'From: =?utf-8?Q?B=C3=BCcher?= <orders@shop.test>',
    'To: "Bee, Ann" <ann@mail.test>,',
    ' bob@mail.test',
    'Message-ID: <client.1@shop.test>',
    'Date: Mon, 5 Jan 2026 08:00:00 +0000',
  ];
  return {
    raw: [...received, ...common, ...lines].map((line) =>
      Buffer.concat([Buffer.from(line as string), Buffer.from('\r\n')]),
    ),
  };
}

const ALTERNATIVES = [
  'Subject: =?utf-8?Q?Gr=C3=BC=C3=9Fe?=',
  'MIME-Version: 1.0',
  'Content-Type: multipart/alternative; boundary="=_alt"',
  '',
  '--=_alt',
  'Content-Type: text/plain; charset=utf-8',
  'Content-Transfer-Encoding: 8bit',
  '',
  'Grüße: https://shop.test/a',
  '.',
  '--=_alt',
  'Content-Type: text/html; charset=utf-8',
  'Content-Transfer-Encoding: quoted-printable',
  '',
  '<body><p>Gr=C3=BC=C3=9Fe</p><a href=3D"https://shop.test/=C3=BC?a=3D1&amp;b=3D2">=',
  'Angebot</a></body>',
  '--=_alt--',
];

/** Contents as they are stored for each kind of send, and the message whose facts are used. */
export const GOLDEN_REQUESTS: Record<string, { content: StoredContent; facts: MessageFacts }> = {
  'regular-rendered': {
    content: {
      ...COMMON,
      subject: 'Order {{ order }}: {{ items|length }} items',
      text: 'Thanks, {{ name }}!\n{% for item in items %}- {{ item.title }}\n{% endfor %}',
      html: '<p>Thanks, {{ name }}!</p>{% for item in items %}<li>{{ item.title }}</li>{% endfor %}',
      amp: '<!doctype html><html ⚡4email><body>{{ name }}</body></html>',
      headers: [{ name: 'X-Order', value: '{{ order }} for {{ name }}' }],
      rendering: { escapeHtml: false, values: { name: 'friend', order: '?' } },
      recipients: {
        [ANN]: { values: {} },
        [BOB]: {
          name: 'Bob Übel',
          values: { order: 'A-17', items: [{ title: 'Tee & Kaffee' }, { title: '<b>Brot</b>' }] },
        },
      },
    },
    facts: FACTS,
  },
  'regular-literal': {
    content: {
      ...COMMON,
      subject: 'Braces {{ stay }}',
      html: '<p>{{ stay }} {% if %}</p>',
      recipients: { [BOB]: { name: 'Bob' } },
    },
    facts: FACTS,
  },
  'template-tracked': {
    content: {
      ...COMMON,
      replyTo: { email: 'help@shop.test' },
      subject: 'Your code, {{ first_name|default("there") }}',
      preheader: 'For {{ email }} & nobody else',
      text: 'Code {{ code }} for {{ first_name }}\nStop: {{ unsubscribe_url }}\n',
      html:
        '<!doctype html><html><head><title>Code</title></head><body class="c"><p>Hi {{ first_name }}, {{ bold|safe }}</p>' +
        '<a href="https://shop.test/?a=1&amp;b={{ code }}">shop</a> <a data-as-no-track href="https://shop.test/x">x</a> ' +
        '<a href="mailto:help@shop.test">help</a> <a href="{{ unsubscribe_url }}">stop</a></body></html>',
      headers: [
        { name: 'List-Unsubscribe', value: '<{{ unsubscribe_url }}>' },
        { name: 'List-Unsubscribe-Post', value: 'List-Unsubscribe=One-Click' },
      ],
      rendering: { escapeHtml: true },
      recipients: {
        [BOB]: {
          name: 'Bob',
          values: {
            first_name: 'Bob <3',
            code: '991',
            bold: '<b>bold</b>',
            email: FACTS.email,
            unsubscribe_url: UNSUBSCRIBE_URL,
            view_browser_url: '',
          },
        },
      },
    },
    facts: { ...FACTS, tracking: { open: true, click: true } },
  },
  'conversation-tracked': {
    content: {
      ...COMMON,
      to: [{ email: 'ann@mail.test', name: 'Ann' }, { email: 'bob@mail.test' }],
      cc: [{ email: 'boss@corp.test', name: 'The "Boss"' }],
      messageId: `<${ANN}@shop.test>`,
      subject: 'Hello {{ all }}',
      text: 'Hello {{ all }}',
      html: '<p>Hello {{ all }} <a href="https://shop.test/">shop</a></p>',
    },
    facts: { ...FACTS, tracking: { open: false, click: true } },
  },
  'every-part': {
    content: {
      ...COMMON,
      subject: 'Einladung zur Frühjahrsmesse',
      text: 'Siehe Anhang.\n',
      amp: '<!doctype html><html ⚡4email><body>Siehe Anhang.</body></html>',
      html: '<p>Siehe Anhang. <img src="cid:logo@shop"></p>',
      attachments: [
        INVITATION,
        LOGO,
        {
          ...LOGO,
          fileName: 'terms.pdf',
          contentType: 'application/pdf',
          contentId: '<terms@shop>',
          disposition: 'attachment',
        },
      ],
    },
    facts: FACTS,
  },
  'text-and-calendar': {
    content: {
      ...COMMON,
      subject: 'Invitation',
      text: 'You are invited.\n',
      attachments: [{ ...INVITATION, contentType: 'text/calendar;method=CANCEL' }],
    },
    facts: FACTS,
  },
  'html-and-inline': {
    content: {
      ...COMMON,
      subject: 'Picture',
      html: '<img src="cid:logo@shop">',
      attachments: [LOGO],
    },
    facts: FACTS,
  },
  'raw-plain': { content: rawOf('Subject: Hi', '', 'Hello Ann,', '', '.', 'From the shop  '), facts: FACTS },
  'raw-eight-bit': { content: rawOf('Subject: Grüße', '', 'Grüße, Ann'), facts: FACTS },
  'raw-alternatives': { content: rawOf(...ALTERNATIVES), facts: FACTS },
  'raw-tracked': {
    content: rawOf(...ALTERNATIVES),
    facts: { ...FACTS, tracking: { open: true, click: true } },
  },
  'raw-tracked-latin1': {
    content: rawOf(
      'Subject: Latin',
      'MIME-Version: 1.0',
      'Content-Type: text/html; charset=iso-8859-1',
      'Content-Transfer-Encoding: 8bit',
      '',
      Buffer.from('<a href="https://shop.test/a">Grüße</a>', 'latin1'),
    ),
    facts: { ...FACTS, tracking: { open: true, click: true } },
  },
  'raw-signed': {
    content: rawOf(
      'Subject: Signed',
      'MIME-Version: 1.0',
      'Content-Type: multipart/signed; protocol="application/pgp-signature"; micalg=pgp-sha256; boundary=s',
      '',
      '--s',
      'Content-Type: text/html; charset=utf-8',
      '',
      '<a href="https://shop.test/a">a</a>',
      '--s',
      'Content-Type: application/pgp-signature; name=signature.asc',
      '',
      'not really a signature',
      '--s--',
    ),
    facts: { ...FACTS, tracking: { open: true, click: true } },
  },
};
