import { SERVICES } from '@postmesh/contracts';
import { loadSettings } from '@postmesh/settings';
import { describe, expect, it } from 'vitest';
import { deliversInThread, nameOf, requireFixedPorts, rolesOf, urlsElsewhere } from './roles.rules.js';

const settingsOf = (more: Record<string, string>) => loadSettings(more);
const of = (roles: string) => rolesOf(settingsOf({ POSTMESH_ROLES: roles }));

describe('the roles of a process', () => {
  it('are all services by default, and no other process has a role then', () => {
    const { services, isShared, isMain } = of('');
    expect([[...services], isShared, isMain]).toEqual([SERVICES, false, true]);
  });

  it('make the one with accounts the main one', () => {
    expect(of('accounts,messages')).toMatchObject({ isShared: true, isMain: true });
    expect(of('messages, gateway')).toMatchObject({ isShared: true, isMain: false });
    expect([nameOf(of('accounts')), nameOf(of('messages,gateway'))]).toEqual([
      'all-in-one',
      'gateway,messages',
    ]);
  });

  it.each(['accounts,mail', 'accounts,accounts', 'accounts,'])('are refused where they are %j', (roles) => {
    expect(() => of(roles)).toThrow(/POSTMESH_ROLES: .* must be some of gateway, accounts, .* at most once/);
  });

  it('give the delivery worker a thread next to other services', () => {
    expect(
      ['', 'accounts,delivery-worker', 'delivery-worker', 'accounts'].map(of).map(deliversInThread),
    ).toEqual([true, true, false, false]);
  });

  it('need fixed ports', () => {
    expect(() => requireFixedPorts(settingsOf({}))).not.toThrow();
    expect(() => requireFixedPorts(settingsOf({ POSTMESH_SUBMISSION_PORTS: '25,0' }))).toThrow(
      'POSTMESH_SUBMISSION_PORTS',
    );
  });
});

it('find services of other processes at their URL, else at the port that processes without accounts share', () => {
  const elsewhere: readonly string[] = ['messages', 'delivery-worker', 'webhook-dispatcher'];
  const settings = settingsOf({
    POSTMESH_ROLES: SERVICES.filter((name) => !elsewhere.includes(name)).join(','),
    POSTMESH_SERVICE_PORT: '7',
    POSTMESH_DELIVERY_WORKER_URL: 'http://127.0.0.1:8/delivery-worker',
  });
  expect(urlsElsewhere(settings, rolesOf(settings))).toEqual({
    messagesUrl: 'http://127.0.0.1:7/messages',
    deliveryWorkerUrl: 'http://127.0.0.1:8/delivery-worker',
    webhookDispatcherUrl: 'http://127.0.0.1:7/webhook-dispatcher',
  });
});
