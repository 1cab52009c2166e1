import { ownBaseUrl } from '@postmesh/public-links';
import type { Settings } from '@postmesh/settings';
import { z } from 'zod';
import { smtpEndpoints } from './smtp-listeners.rules.js';

/** The settings of a program that submits messages. */
export const SmtpSettings = z
  .object({
    object: z.literal('smtp_settings'),
    host: z.string().meta({ example: 'mail.example.com' }),
    ports: z
      .array(z.int())
      .meta({ description: 'The one that most networks let through is first.', example: [587, 2525, 25] }),
    encryption: z.literal('STARTTLS').meta({ description: 'On every port, and needed before the login.' }),
    login: z.array(z.enum(['PLAIN', 'LOGIN'])),
    self_signed: z.boolean().meta({
      description:
        'No authority has issued the certificate: programs refuse it unless they are set up to take it.',
    }),
  })
  .meta({ id: 'SmtpSettings' });
export type SmtpSettings = z.infer<typeof SmtpSettings>;

/** RFC 6409 §3.1 has 587 for submission; networks of offices and clouds often close 25. */
const FIRST = [587, 2525];
const rank = (port: number): number =>
  FIRST.includes(port) ? FIRST.indexOf(port) : FIRST.length + (port === 25 ? 1 : 0);

type Known = Pick<
  Settings,
  | ('baseUrl' | 'httpPort' | 'submissionHost' | 'submissionPublicPorts')
  | ('submissionPorts' | 'mxPort' | 'smtpTlsCertFile')
>;

/** @param settings with the ports that were chosen where a setting leaves them to the system */
export function smtpSettings(settings: Known): SmtpSettings {
  const { submissionPublicPorts, smtpTlsCertFile } = settings;
  const open = smtpEndpoints(settings).flatMap(({ role, port }) => (role === 'inbound' ? [] : [port]));
  const ports = submissionPublicPorts.length > 0 ? submissionPublicPorts : open;
  return {
    object: 'smtp_settings',
    host: settings.submissionHost ?? new URL(ownBaseUrl(settings)).hostname,
    ports: [...new Set(ports)].toSorted((a, b) => rank(a) - rank(b) || a - b),
    encryption: 'STARTTLS',
    login: ['PLAIN', 'LOGIN'],
    self_signed: smtpTlsCertFile === undefined,
  };
}
