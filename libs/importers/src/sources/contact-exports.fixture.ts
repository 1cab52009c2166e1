import { json, type ContactCase } from './exports.fixture.js';

const ANN = { first_name: 'Ann', last_name: 'Lee' };

export const CONTACTS: readonly ContactCase[] = [
  {
    source: 'sendgrid',
    file: 'contacts.csv',
    form: 'contacts',
    text: 'EMAIL,FIRST_NAME,LAST_NAME,CITY,CREATED_AT,CONTACT_ID\nann@mail.test,Ann,Lee,Oslo,2024-01-01,1\n',
    gives: [
      [
        'ann@mail.test',
        'unconfirmed',
        '',
        {
          ...ANN,
          status: 'disabled',
          status_reason: 'not confirmed at SendGrid',
          attributes: { city: 'Oslo' },
        },
      ],
    ],
  },
  {
    source: 'sendgrid',
    file: 'contacts.csv',
    form: 'contacts',
    confirmed: true,
    text: 'EMAIL,FIRST_NAME,LAST_NAME\nann@mail.test,Ann,Lee\nnonsense,,\n',
    gives: [['ann@mail.test', 'subscribed', 'News', ANN], 'email is not an email address'],
  },
  {
    source: 'mailgun',
    file: 'members.json',
    form: 'members',
    text: json({
      items: [
        { address: 'ann@mail.test', name: 'Ann Lee', subscribed: true, vars: { age: 26 } },
        { address: 'ben@mail.test', name: '', subscribed: false, vars: {} },
      ],
    }),
    gives: [
      ['ann@mail.test', 'subscribed', 'News', { ...ANN, attributes: { age: '26' } }],
      ['ben@mail.test', 'unsubscribed', '', { unsubscribed: true }],
    ],
  },
  {
    source: 'resend',
    file: 'contacts.json',
    form: 'contacts',
    text: json({
      object: 'list',
      data: [
        {
          id: '1',
          email: 'ann@mail.test',
          first_name: 'Ann',
          last_name: 'Lee',
          created_at: 'x',
          unsubscribed: false,
        },
        {
          id: '2',
          email: 'ben@mail.test',
          first_name: null,
          last_name: null,
          created_at: 'x',
          unsubscribed: true,
        },
      ],
    }),
    gives: [
      ['ann@mail.test', 'subscribed', 'News', ANN],
      ['ben@mail.test', 'unsubscribed', '', { unsubscribed: true }],
    ],
  },
  {
    source: 'ses',
    file: 'contacts.json',
    form: 'contacts',
    text: json({
      Contacts: [
        {
          EmailAddress: 'ann@mail.test',
          TopicPreferences: [],
          UnsubscribeAll: false,
          LastUpdatedTimestamp: 'x',
        },
        {
          EmailAddress: 'ben@mail.test',
          TopicPreferences: [],
          UnsubscribeAll: true,
          LastUpdatedTimestamp: 'x',
        },
      ],
    }),
    gives: [
      ['ann@mail.test', 'subscribed', 'News', {}],
      ['ben@mail.test', 'unsubscribed', '', { unsubscribed: true }],
    ],
  },
  {
    source: 'brevo',
    file: 'contacts.json',
    form: 'contacts',
    text: json({
      contacts: [
        {
          email: 'ann@mail.test',
          id: 1,
          emailBlacklisted: false,
          smsBlacklisted: false,
          listIds: [7, 9],
          attributes: { FIRSTNAME: 'Ann', LASTNAME: 'Lee', VIP: true },
        },
        {
          email: 'ben@mail.test',
          id: 2,
          emailBlacklisted: true,
          smsBlacklisted: false,
          listIds: [7],
          attributes: {},
        },
      ],
      count: 2,
    }),
    gives: [
      [
        'ann@mail.test',
        'subscribed',
        'News,Brevo list 7,Brevo list 9',
        { ...ANN, attributes: { vip: 'true' } },
      ],
      ['ben@mail.test', 'unsubscribed', '', { unsubscribed: true }],
    ],
  },
  {
    source: 'mailchimp',
    file: 'subscribed.csv',
    form: 'subscribed',
    text: '"Email Address","First Name","Last Name","Birth Date",MEMBER_RATING,OPTIN_TIME,TAGS\nann@mail.test,Ann,Lee,01/02,2,"2024-01-01 00:00:00","""vip"""\n',
    gives: [['ann@mail.test', 'subscribed', 'News', { ...ANN, attributes: { birth_date: '01/02' } }]],
  },
  {
    source: 'mailchimp',
    file: 'unsubscribed.csv',
    form: 'unsubscribed',
    text: '"Email Address","First Name","Last Name",OPTIN_TIME,UNSUB_TIME\nann@mail.test,Ann,Lee,x,y\n',
    gives: [['ann@mail.test', 'unsubscribed', '', { ...ANN, unsubscribed: true }]],
  },
  {
    source: 'mailchimp',
    file: 'cleaned.csv',
    form: 'cleaned',
    text: '"Email Address","First Name","Last Name",OPTIN_TIME,CLEAN_TIME\nann@mail.test,Ann,Lee,x,y\n',
    gives: [
      ['ann@mail.test', 'bounced', '', { ...ANN, status: 'blocked', status_reason: 'bounced at Mailchimp' }],
    ],
  },
  {
    source: 'mailchimp',
    file: 'members.json',
    form: 'members',
    text: json({
      members: [
        {
          email_address: 'ann@mail.test',
          status: 'subscribed',
          merge_fields: { FNAME: 'Ann', LNAME: 'Lee', POINTS: 7 },
        },
        { email_address: 'ben@mail.test', status: 'pending', merge_fields: {} },
        { email_address: 'cyd@mail.test', status: 'cleaned', merge_fields: {} },
        { email_address: 'dan@mail.test', status: 'new', merge_fields: {} },
      ],
    }),
    gives: [
      ['ann@mail.test', 'subscribed', 'News', { ...ANN, attributes: { points: '7' } }],
      [
        'ben@mail.test',
        'unconfirmed',
        '',
        { status: 'disabled', status_reason: 'not confirmed at Mailchimp' },
      ],
      ['cyd@mail.test', 'bounced', '', { status: 'blocked', status_reason: 'bounced at Mailchimp' }],
      "status is 'new', which is none of subscribed, unsubscribed, cleaned, pending, transactional, archived",
    ],
  },
  {
    source: 'listmonk',
    file: 'subscribers.csv',
    form: 'csv',
    text: 'uuid,email,name,attributes,status,created_at,updated_at\n1,ann@mail.test,Ann Lee,"{""city"": ""Oslo"", ""likes"": [1]}",enabled,x,y\n2,ben@mail.test,Ben,{},blocklisted,x,y\n',
    gives: [
      [
        'ann@mail.test',
        'unconfirmed',
        '',
        {
          ...ANN,
          status: 'disabled',
          status_reason: 'not confirmed at listmonk',
          attributes: { city: 'Oslo', likes: '[1]' },
        },
      ],
      [
        'ben@mail.test',
        'blocked',
        '',
        { first_name: 'Ben', status: 'blocked', status_reason: 'blocked at listmonk' },
      ],
    ],
  },
  {
    source: 'listmonk',
    file: 'subscribers.json',
    form: 'api',
    text: json({
      data: {
        results: [
          {
            uuid: '1',
            email: 'ann@mail.test',
            name: 'Ann Lee',
            attribs: {},
            status: 'enabled',
            lists: [
              { name: 'Daily', subscription_status: 'confirmed' },
              { name: 'Weekly', subscription_status: 'unsubscribed' },
            ],
          },
          {
            uuid: '2',
            email: 'ben@mail.test',
            name: 'Ben',
            attribs: {},
            status: 'enabled',
            lists: [{ name: 'Daily', subscription_status: 'unconfirmed' }],
          },
          {
            uuid: '3',
            email: 'cyd@mail.test',
            name: 'Cyd',
            attribs: {},
            status: 'enabled',
            lists: [{ name: 'Daily', subscription_status: 'unsubscribed' }],
          },
          {
            uuid: '4',
            email: 'dan@mail.test',
            name: 'Dan',
            attribs: {},
            status: 'disabled',
            lists: [{ name: 'Daily', subscription_status: 'confirmed' }],
          },
        ],
      },
    }),
    gives: [
      ['ann@mail.test', 'subscribed', 'News,Daily', ANN],
      [
        'ben@mail.test',
        'unconfirmed',
        '',
        { first_name: 'Ben', status: 'disabled', status_reason: 'not confirmed at listmonk' },
      ],
      ['cyd@mail.test', 'unsubscribed', '', { first_name: 'Cyd', unsubscribed: true }],
      [
        'dan@mail.test',
        'disabled',
        '',
        { first_name: 'Dan', status: 'disabled', status_reason: 'disabled at listmonk' },
      ],
    ],
  },
];
