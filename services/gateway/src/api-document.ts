import { MessageResponse, RecentChanges, type ServiceDocument } from '@postmesh/contracts';
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

/** Operations of the console that the gateway serves itself (decision 116). */
export const CONSOLE_DOCUMENT: ServiceDocument = {
  'events.stream': {
    summary: 'Follow the account',
    description:
      'Server-sent events, as long as the session lasts. `changes` has resources of the account that have changed among the newest of their kind, within seconds; campaigns that are being sent come with each look. A client that comes back with `Last-Event-ID` gets what it has missed, or `reset` after more than five minutes: everything may have changed. A comment comes every 15 seconds. An account has up to 20 streams.',
    response: {
      status: 200,
      description: 'A stream of events; the data of `changes`.',
      contentType: 'text/event-stream',
      schema: RecentChanges,
    },
  },
  'smtp-settings.get': {
    summary: 'Get the settings of SMTP submission',
    description: 'The host and the ports that a program submits to, as this installation listens.',
    response: { status: 200, description: 'The settings.', schema: SmtpSettings },
  },
};
