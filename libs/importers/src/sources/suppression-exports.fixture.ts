import { json, type SuppressionCase } from './exports.fixture.js';

export const SUPPRESSIONS: readonly SuppressionCase[] = [
  {
    source: 'sendgrid',
    file: 'bounces.json',
    form: 'bounces',
    text: json([
      { created: 1_700_000_000, email: 'Gone@Mail.Test', reason: '550 5.1.1 no such user', status: '5.1.1' },
      { created: 1_700_000_100, email: 'nonsense', reason: '', status: '' },
    ]),
    gives: [
      'gone@mail.test bounce 2023-11-14T22:13:20.000Z Bounced at SendGrid: 550 5.1.1 no such user',
      '8: email is not an email address',
    ],
  },
  {
    source: 'sendgrid',
    file: 'spam_reports.csv',
    as: 'spam_reports',
    form: 'spam_reports',
    text: 'email,created\nann@mail.test,1700000000\n',
    gives: ['ann@mail.test complaint 2023-11-14T22:13:20.000Z FBL Complaint Report'],
  },
  {
    source: 'sendgrid',
    file: 'global.csv',
    as: 'unsubscribes',
    form: 'unsubscribes',
    text: 'email,created\nann@mail.test,1700000000\nben@mail.test,\n',
    gives: [
      'ann@mail.test unsubscribe 2023-11-14T22:13:20.000Z Unsubscribed',
      'ben@mail.test unsubscribe - Unsubscribed',
    ],
  },
  {
    source: 'sendgrid',
    file: 'groups.json',
    form: 'group_unsubscribes',
    text: json([{ email: 'ann@mail.test', group_id: 1, group_name: 'News', created_at: 1_700_000_000 }]),
    gives: ['ann@mail.test unsubscribe 2023-11-14T22:13:20.000Z Unsubscribed'],
  },
  {
    source: 'sendgrid',
    file: 'invalid.json',
    form: 'invalid_emails',
    text: json([
      {
        created: 1_700_000_000,
        email: 'ann@mail.test',
        reason: 'Mail domain mentioned in email address is unknown',
      },
    ]),
    gives: [
      'ann@mail.test bounce 2023-11-14T22:13:20.000Z Bounced at SendGrid: Mail domain mentioned in email address is unknown',
    ],
  },
  {
    source: 'mailgun',
    file: 'bounces.csv',
    form: 'bounces',
    text: 'address,code,error,created_at\ngone@mail.test,550,"No such mailbox, sorry","Thu, 13 Oct 2011 18:02:00 UTC"\n',
    gives: ['gone@mail.test bounce 2011-10-13T18:02:00.000Z Bounced at Mailgun: 550 No such mailbox, sorry'],
  },
  {
    source: 'mailgun',
    file: 'complaints.json',
    form: 'complaints',
    text: json({
      items: [{ address: 'ann@mail.test', created_at: 'Fri, 21 Oct 2011 11:02:55 GMT' }],
      paging: {},
    }),
    gives: ['ann@mail.test complaint 2011-10-21T11:02:55.000Z FBL Complaint Report'],
  },
  {
    source: 'mailgun',
    file: 'unsubscribes.json',
    form: 'unsubscribes',
    text: json({
      items: [{ address: 'ann@mail.test', tags: ['*'], created_at: 'Fri, 21 Oct 2011 11:02:55 GMT' }],
    }),
    gives: ['ann@mail.test unsubscribe 2011-10-21T11:02:55.000Z Unsubscribed'],
  },
  {
    source: 'postmark',
    file: 'dump.json',
    form: 'suppressions',
    text: json({
      Suppressions: [
        {
          EmailAddress: 'a@mail.test',
          SuppressionReason: 'HardBounce',
          Origin: 'Recipient',
          CreatedAt: '2026-03-01T10:00:00-05:00',
        },
        {
          EmailAddress: 'b@mail.test',
          SuppressionReason: 'SpamComplaint',
          Origin: 'Recipient',
          CreatedAt: '2026-03-01T10:00:00Z',
        },
        {
          EmailAddress: 'c@mail.test',
          SuppressionReason: 'ManualSuppression',
          Origin: 'Customer',
          CreatedAt: '2026-03-01T10:00:00Z',
        },
        {
          EmailAddress: 'd@mail.test',
          SuppressionReason: 'Novelty',
          Origin: 'Customer',
          CreatedAt: '2026-03-01T10:00:00Z',
        },
      ],
    }),
    gives: [
      'a@mail.test bounce 2026-03-01T15:00:00.000Z Bounced at Postmark: Recipient',
      'b@mail.test complaint 2026-03-01T10:00:00.000Z FBL Complaint Report',
      'c@mail.test unsubscribe 2026-03-01T10:00:00.000Z Unsubscribed',
      "21: SuppressionReason is 'Novelty', which is none of hardbounce, spamcomplaint, manualsuppression",
    ],
  },
  {
    source: 'resend',
    file: 'suppressions.json',
    form: 'suppressions',
    text: json({
      object: 'list',
      has_more: false,
      data: [
        {
          object: 'suppression',
          id: '1',
          email: 'a@mail.test',
          origin: 'manual',
          source_id: null,
          created_at: '2026-10-06T23:47:56.678Z',
        },
        {
          object: 'suppression',
          id: '2',
          email: 'b@mail.test',
          origin: 'complaint',
          source_id: 'x',
          created_at: '2026-10-07T08:12:03.412Z',
        },
      ],
    }),
    gives: [
      'a@mail.test manual 2026-10-06T23:47:56.678Z Suppressed at Resend',
      'b@mail.test complaint 2026-10-07T08:12:03.412Z FBL Complaint Report',
    ],
  },
  {
    source: 'ses',
    file: 'suppressed.json',
    form: 'suppressions',
    text: json({
      SuppressedDestinationSummaries: [
        { EmailAddress: 'a@mail.test', Reason: 'BOUNCE', LastUpdateTime: '2026-03-01T10:00:00.123000+00:00' },
        { EmailAddress: 'b@mail.test', Reason: 'COMPLAINT', LastUpdateTime: 1_700_000_000.5 },
      ],
    }),
    gives: [
      'a@mail.test bounce 2026-03-01T10:00:00.123Z Bounced at Amazon SES',
      'b@mail.test complaint 2023-11-14T22:13:20.500Z FBL Complaint Report',
    ],
  },
  {
    source: 'brevo',
    file: 'blocked.json',
    form: 'blocked',
    text: json({
      count: 3,
      contacts: [
        {
          email: 'a@mail.test',
          senderEmail: '',
          reason: { code: 'hardBounce', message: 'Hard bounced' },
          blockedAt: '2026-03-01T10:00:00Z',
        },
        {
          email: 'b@mail.test',
          senderEmail: 'x@shop.test',
          reason: { code: 'unsubscribedViaMA', message: 'x' },
          blockedAt: '2026-03-01T10:00:00Z',
        },
        {
          email: 'c@mail.test',
          senderEmail: '',
          reason: { code: 'contactFlaggedAsSpam', message: 'x' },
          blockedAt: '2026-03-01T10:00:00Z',
        },
      ],
    }),
    gives: [
      'a@mail.test bounce 2026-03-01T10:00:00.000Z Bounced at Brevo: Hard bounced',
      'b@mail.test unsubscribe 2026-03-01T10:00:00.000Z Unsubscribed',
      'c@mail.test complaint 2026-03-01T10:00:00.000Z FBL Complaint Report',
    ],
  },
  {
    source: 'mailchimp',
    file: 'cleaned_members.csv',
    form: 'cleaned',
    text: '"Email Address","First Name","Last Name",MEMBER_RATING,CLEAN_TIME,CLEAN_CAMPAIGN_TITLE\na@mail.test,Ann,Lee,1,"2024-05-06 07:08:09",News\n',
    gives: ['a@mail.test bounce 2024-05-06T07:08:09.000Z Bounced at Mailchimp'],
  },
  {
    source: 'mailchimp',
    file: 'unsubscribed_members.csv',
    form: 'unsubscribed',
    text: '"Email Address","First Name","Last Name",UNSUB_TIME,UNSUB_REASON\na@mail.test,Ann,Lee,"2024-05-06 07:08:09",NORMAL\n',
    gives: ['a@mail.test unsubscribe 2024-05-06T07:08:09.000Z Unsubscribed'],
  },
  {
    source: 'mailchimp',
    file: 'members.json',
    form: 'members',
    text: json({
      members: [
        { email_address: 'a@mail.test', status: 'cleaned', last_changed: '2024-05-06T07:08:09+00:00' },
        { email_address: 'b@mail.test', status: 'subscribed', last_changed: '2024-05-06T07:08:09+00:00' },
      ],
      total_items: 2,
    }),
    gives: ['a@mail.test bounce 2024-05-06T07:08:09.000Z Bounced at Mailchimp', 'none'],
  },
  {
    source: 'listmonk',
    file: 'subscribers.csv',
    form: 'blocklisted',
    text: 'uuid,email,name,attributes,status,created_at,updated_at\n1,a@mail.test,Ann,{},blocklisted,2024-01-01 00:00:00 +0000 +0000,2024-05-06 07:08:09.12 +0000 +0000\n2,b@mail.test,Ben,{},enabled,2024-01-01 00:00:00 +0000 +0000,2024-05-06 07:08:09 +0000 +0000\n',
    gives: ['a@mail.test manual 2024-05-06T07:08:09.120Z Suppressed at listmonk', 'none'],
  },
  {
    source: 'listmonk',
    file: 'bounces.json',
    form: 'bounces',
    text: json({
      data: {
        results: [
          {
            id: 1,
            type: 'hard',
            source: 'ses',
            created_at: '2024-05-06T07:08:09.12+02:00',
            email: 'a@mail.test',
            meta: { x: [1] },
          },
          { id: 2, type: 'soft', source: 'ses', created_at: '2024-05-06T07:08:09Z', email: 'b@mail.test' },
          {
            id: 3,
            type: 'complaint',
            source: 'ses',
            created_at: '2024-05-06T07:08:09Z',
            email: 'c@mail.test',
          },
        ],
      },
    }),
    gives: [
      'a@mail.test bounce 2024-05-06T05:08:09.120Z Bounced at listmonk: ses',
      'none',
      'c@mail.test complaint 2024-05-06T07:08:09.000Z FBL Complaint Report',
    ],
  },
  {
    source: 'postal',
    file: 'suppressions.csv',
    form: 'suppressions',
    text: 'type\taddress\treason\ttimestamp\nrecipient\ta@mail.test\ttoo many soft fails\t1700000000.250000\n',
    gives: ['a@mail.test bounce 2023-11-14T22:13:20.250Z Bounced at Postal: too many soft fails'],
  },
];
