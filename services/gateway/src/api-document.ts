import { MessageResponse, type ServiceDocument } from '@postmesh/contracts';
import { SmtpSettings } from './smtp/smtp-settings.rules.js';

/** Documents of the operations that the gateway serves itself (spec 1-platform §6). */
export const API_DOCUMENT: ServiceDocument = {
  ping: {
    summary: 'Check a key',
    description: 'Responds to any valid key. Any status but 200 says why the key would not do.',
    response: {
      status: 200,
      description: 'The key is good.',
      schema: MessageResponse,
      example: { message: 'pong' },
    },
  },
};

export const CONSOLE_DOCUMENT: ServiceDocument = {
  'smtp-settings.get': {
    summary: 'Get the settings of SMTP submission',
    description: 'The host and the ports that a program submits to, as this installation listens.',
    response: { status: 200, description: 'The settings.', schema: SmtpSettings },
  },
};
