import { expect, it } from 'vitest';
import { loadSettings } from './load.js';
import { requireDeliverable } from './real-delivery.rules.js';

const startWith = (env: Record<string, string>) => () => requireDeliverable(loadSettings(env));
const REAL = { POSTMESH_LOCAL_INTERNET: 'off' };
const ZONE = { POSTMESH_SERVICE_ZONE: 'mail.example.com' };
const ADDRESSES = { POSTMESH_SENDING_ADDRESSES: '192.0.2.10' };

it.each([
  [
    'of a new production',
    { ...REAL },
    [/POSTMESH_SERVICE_ZONE: .*'postmesh\.test'/, /POSTMESH_SENDING_ADDRESSES: .*127/],
  ],
  ['with a zone alone', { ...REAL, ...ZONE }, [/^(?![^]*SERVICE_ZONE)[^]*POSTMESH_SENDING_ADDRESSES/]],
  [
    'with addresses alone',
    { ...REAL, ...ADDRESSES },
    [/^(?![^]*SENDING_ADDRESSES)[^]*POSTMESH_SERVICE_ZONE/],
  ],
  [
    'behind NAT, with private addresses alone',
    { ...REAL, ...ZONE, POSTMESH_SENDING_ADDRESSES: '10.0.0.7,fd00::7,::1' },
    [/10\.0\.0\.7, fd00::7, ::1/],
  ],
  // a process of its own without name servers uses the real DNS, whatever the flag says
  ['of a service of its own', {}, [/SERVICE_ZONE/]],
  [
    'with a relay, whatever the port',
    { ...REAL, POSTMESH_REMOTE_SMTP_PORT: '2525', POSTMESH_EGRESS_RELAY: 'smtps://relay.example.com' },
    [/SERVICE_ZONE/],
  ],
])('a start %s is refused by name', (_, env, texts) => {
  for (const text of texts) expect(startWith(env)).toThrow(text);
  expect(startWith(env)).toThrow(/^mail would be rejected by every receiver/);
});

it.each([
  ['with zone and addresses', { ...REAL, ...ZONE, ...ADDRESSES }],
  ['with zone and a network', { ...REAL, ...ZONE, POSTMESH_SENDING_ADDRESSES: '203.0.113.0/28' }],
  [
    'with sources of its own',
    {
      ...REAL,
      ...ZONE,
      POSTMESH_EGRESS_SOURCES: '[{"id":"a","address":"192.0.2.10","ehlo":"a.example.com"}]',
    },
  ],
  ['in local mode', { POSTMESH_DNS_SERVERS: '127.0.0.1:5300' }],
  ['without delivery', { ...REAL, POSTMESH_DELIVERY: 'off' }],
  ['that reaches hosts of a test alone', { ...REAL, POSTMESH_REMOTE_SMTP_PORT: '2525' }],
])('a start %s is none of these', (_, env) => expect(startWith(env)).not.toThrow());
