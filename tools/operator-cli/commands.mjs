// What can be asked on the command line: one entry per command, nothing else knows of it.
import { parseJson } from './trouble.mjs';

const query = (values) => new URLSearchParams(values).toString();
const anyMethod = (method) => ({
  usage: '</operator/path> [json]',
  help: `${method} anything of the operator interface`,
  least: 1,
  request: ([path, json]) => ({ method, path, body: json === undefined ? undefined : parseJson(json) }),
});

/** name → what is asked, and which lists of the answer are shown as tables (`.` = the answer itself) */
export const COMMANDS = {
  doctor: {
    help: 'what is well and what is not; exit code 1 when something is not',
    request: () => ({ path: '/operator/doctor' }),
    tables: { checks: ['ok', 'check', 'detail'] },
    isBad: (answer) => !answer.ok,
  },
  queue: {
    help: 'letters that wait, why and until when',
    request: () => ({ path: '/operator/delivery-worker/queue' }),
    tables: {
      '.': ['deliveries', 'under_way', 'due', 'next_due_at'],
      destinations: ['destination', 'deliveries', 'next_due_at'],
      waiting: ['message_id', 'destination', 'state', 'attempt', 'due_at', 'reason'],
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
    usage: '<stream> <group>',
    help: 'events that a service gave up',
    least: 2,
    request: ([stream, group]) => ({ path: `/operator/dead-letters?${query({ stream, group })}` }),
    tables: { dead_letters: ['died_at', 'id', 'pattern', 'kind', 'reason'] },
  },
  replay: {
    usage: '<stream> <group> [id …]',
    help: 'publish dead letters again, all or some',
    least: 2,
    request: ([stream, group, ...ids]) => ({
      method: 'POST',
      path: '/operator/dead-letters/replay',
      body: { stream, group, ...(ids.length > 0 ? { ids } : {}) },
    }),
    tables: { '.': ['replayed'] },
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
  accounts: {
    help: 'accounts and their state',
    request: () => ({ path: '/operator/accounts/accounts' }),
    tables: { data: ['id', 'state', 'name', 'created_at', 'parent_account_id'] },
  },
  get: anyMethod('GET'),
  post: anyMethod('POST'),
  put: anyMethod('PUT'),
  delete: anyMethod('DELETE'),
};
