import { loadSettings } from '@postmesh/settings';
import { expect, it } from 'vitest';
import { smtpSettings } from './smtp-settings.rules.js';

const of = (env: Record<string, string>) => smtpSettings(loadSettings(env));

it.each([
  ['on a machine of a developer', {}, 'localhost', [2525], true],
  [
    'in production, the port that most networks let through first',
    { POSTMESH_BASE_URL: 'https://mail.example.com/api', POSTMESH_SUBMISSION_PORTS: '25,587,2525' },
    'mail.example.com',
    [587, 2525, 25],
    true,
  ],
  [
    'behind a load balancer with a certificate',
    {
      POSTMESH_BASE_URL: 'https://api.example.com',
      POSTMESH_SUBMISSION_HOST: 'smtp.example.com',
      POSTMESH_SUBMISSION_PORTS: '2525,2587',
      POSTMESH_SUBMISSION_PUBLIC_PORTS: '587,2525,25',
      POSTMESH_SMTP_TLS_CERT_FILE: '/tls/tls.crt',
    },
    'smtp.example.com',
    [587, 2525, 25],
    false,
  ],
] as const)('the settings to copy, %s', (_where, env, host, ports, selfSigned) =>
  expect(of(env)).toMatchObject({ host, ports, encryption: 'STARTTLS', self_signed: selfSigned }),
);
