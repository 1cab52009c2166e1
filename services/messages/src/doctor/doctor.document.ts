import type { ServiceDocument } from '@postmesh/contracts';
import { DomainDoctor } from '@postmesh/domains-contract';

/** The doctor in the document of the console. */
export const DOCTOR_DOCUMENT: ServiceDocument = {
  'domain-doctor.get': {
    summary: 'Examine a domain',
    description:
      'The deliverability of a domain: its records, the sending addresses, block lists, figures of its mail, and the requirements of Gmail and Outlook. Answers of DNS and web servers are kept for ten minutes.',
    response: {
      status: 200,
      description: 'The checks.',
      schema: DomainDoctor,
      example: {
        object: 'domain_doctor',
        domain: 'mail.example.com',
        checks: [
          {
            id: 'dmarc',
            state: 'warning',
            text: 'The policy at _dmarc.mail.example.com is p=none: receivers do nothing about forged mail.',
            fix: 'Once reports show that all your own mail passes, write p=quarantine, later p=reject.',
            details: [],
            checked_at: '2026-01-05T08:00:00.000Z',
          },
        ],
        requirements: [
          {
            provider: 'gmail',
            source: 'https://support.google.com/a/answer/81126',
            items: [
              {
                text: 'A DMARC policy, p=none at least',
                applies_to: 'bulk',
                checks: ['dmarc'],
                met: true,
              },
            ],
          },
        ],
        views: [
          {
            provider: 'gmail',
            source: 'Gmail Postmaster Tools',
            read_at: '2026-01-05T08:00:00.000Z',
            trouble: null,
            figures: [{ figure: 'spam_rate', value: 0.0004, day: '2026-01-03' }],
          },
        ],
      },
    },
    apiErrors: [
      { status: 400, when: '`invalid domain name`' },
      { status: 404, when: '`domain not found`' },
    ],
  },
};
