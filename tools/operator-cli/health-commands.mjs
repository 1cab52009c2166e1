// Whether the installation is well, and what waits in it.
import { queryOf } from './requests.mjs';

export const HEALTH_COMMANDS = {
  doctor: {
    help: 'what is well and what is not; exit code 1 when something is not',
    request: () => ({ path: '/operator/doctor' }),
    tables: { checks: ['ok', 'check', 'detail'] },
    isBad: (response) => !response.ok,
  },
  queue: {
    help: 'messages that wait, why and until when',
    request: () => ({ path: '/operator/delivery-worker/queue' }),
    tables: {
      '.': ['deliveries', 'under_way', 'due', 'held', 'next_due_at'],
      held_accounts: ['account_id', 'deliveries', 'reason', 'next_end_at'],
      destinations: ['destination', 'deliveries', 'next_due_at'],
      waiting: ['message_id', 'destination', 'state', 'attempt', 'due_at', 'held_until', 'reason'],
    },
  },
  calls: {
    help: 'webhook calls that are owed, why and until when',
    request: () => ({ path: '/operator/webhook-dispatcher/queue' }),
    tables: {
      '.': ['calls', 'under_way', 'due', 'next_due_at'],
      hosts: ['host', 'calls', 'next_due_at'],
      waiting: ['call_id', 'event_type', 'host', 'attempts', 'due_at', 'reason'],
    },
  },
  lag: {
    help: 'how many events each service has still to handle',
    request: () => ({ path: '/operator/lag' }),
    tables: { groups: ['group', 'stream', 'behind'] },
  },
  'dead-letters': {
    usage: '[consumer]',
    help: 'events that a consumer gave up, of all or of one',
    about: 'The reason says what failed; `replay` hands them to their consumer again.',
    most: 1,
    request: ([consumer]) => ({
      path: `/operator/dead-letters${consumer === undefined ? '' : queryOf({ consumer })}`,
    }),
    tables: { dead_letters: ['died_at', 'consumer', 'id', 'event_id', 'pattern', 'kind', 'reason'] },
  },
  replay: {
    usage: '<consumer> [id …]',
    help: 'hand dead letters to their own consumer again, all or some',
    about: 'Those that fail again stay dead letters, with their latest reason.',
    least: 1,
    request: ([consumer, ...ids]) => ({
      method: 'POST',
      path: '/operator/dead-letters/replay',
      body: { consumer, ...(ids.length > 0 ? { ids } : {}) },
    }),
    tables: { '.': ['replayed', 'failed'] },
  },
  jobs: {
    help: 'periodic and delayed work by kind',
    request: () => ({ path: '/operator/jobs' }),
    tables: { queues: ['name', 'waiting', 'active', 'delayed', 'failed'] },
  },
  'jobs-failed': {
    help: 'jobs that used up their attempts',
    request: () => ({ path: '/operator/jobs/failed' }),
    tables: { failed: ['failedAt', 'job', 'id', 'attempts', 'reason'] },
  },
  'jobs-retry': {
    help: 'try failed jobs again',
    request: () => ({ method: 'POST', path: '/operator/jobs/retry' }),
    tables: { '.': ['retried'] },
  },
};
