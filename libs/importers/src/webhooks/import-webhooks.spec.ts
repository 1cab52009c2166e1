import { describe, expect, it } from 'vitest';
import { SOURCES } from '../sources/sources.js';
import type { WebhookForm } from '../sources/source.js';
import { readWebhooks } from './import-webhooks.js';

const URL_A = 'https://app.example.com/hook';

describe('the webhooks of a service', () => {
  it.each<[keyof typeof SOURCES, unknown, object[]]>([
    [
      'sendgrid',
      {
        max_allowed: 5,
        webhooks: [
          {
            enabled: true,
            url: URL_A,
            friendly_name: 'Main',
            delivered: true,
            bounce: true,
            open: false,
            group_resubscribe: true,
          },
          { enabled: false, url: `${URL_A}/2`, spam_report: true },
        ],
      },
      [
        {
          name: 'Main',
          url: URL_A,
          enabled: true,
          flags: ['on_delivered', 'on_bounced', 'on_failed'],
          without: ['group_resubscribe'],
        },
        {
          name: `SendGrid ${URL_A}/2`,
          url: `${URL_A}/2`,
          enabled: false,
          flags: ['on_suppression_created'],
          without: [],
        },
      ],
    ],
    [
      'mailgun',
      { webhooks: { delivered: { urls: [URL_A] }, clicked: { urls: [URL_A, `${URL_A}/2`] } } },
      [
        {
          name: `Mailgun ${URL_A}`,
          url: URL_A,
          enabled: true,
          flags: ['on_delivered', 'on_clicked'],
          without: [],
        },
        { name: `Mailgun ${URL_A}/2`, url: `${URL_A}/2`, enabled: true, flags: ['on_clicked'], without: [] },
      ],
    ],
    [
      'postmark',
      {
        Webhooks: [
          {
            ID: 1,
            Url: URL_A,
            Triggers: { Open: { Enabled: true, PostFirstOpenOnly: false }, Click: { Enabled: false } },
          },
        ],
      },
      [{ name: `Postmark ${URL_A}`, url: URL_A, enabled: true, flags: ['on_opened'], without: [] }],
    ],
    [
      'resend',
      {
        object: 'list',
        data: [
          {
            id: '1',
            endpoint: URL_A,
            status: 'enabled',
            events: ['email.delivered', 'contact.created', 'email.novel'],
          },
        ],
      },
      [
        {
          name: `Resend ${URL_A}`,
          url: URL_A,
          enabled: true,
          flags: ['on_delivered'],
          without: ['contact.created', 'email.novel'],
        },
      ],
    ],
    [
      'brevo',
      {
        webhooks: [
          {
            id: 1,
            url: URL_A,
            description: 'All',
            events: ['hardBounce', 'softBounce'],
            type: 'transactional',
          },
        ],
      },
      [{ name: 'All', url: URL_A, enabled: true, flags: ['on_bounced', 'on_transient_error'], without: [] }],
    ],
  ])('%s', (name, value, webhooks) => {
    const { title, webhooks: form } = SOURCES[name] as { title: string; webhooks?: WebhookForm };
    expect(form && readWebhooks(value, form, title)).toEqual(webhooks);
  });
});
