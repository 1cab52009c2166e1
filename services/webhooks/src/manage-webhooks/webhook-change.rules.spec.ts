import { describe, expect, it } from 'vitest';
import type { EventFlag } from '../webhook-events/webhook-events.table.js';
import { changeWebhook, newWebhook, type WebhookFields } from './webhook-change.rules.js';

const BASE = { name: 'Hook', url: 'https://shop.test/h', enabled: true, events: ['on_opened' as const] };
const GLOBAL: WebhookFields = { ...BASE, scope: 'global', domains: [] };
const SCOPED: WebhookFields = { ...BASE, scope: 'scoped', domains: ['a.test', 'b.test'] };

describe('a new webhook', () => {
  const body = { name: 'Hook', url: 'https://shop.test/h', on_opened: true };

  it('is enabled and has the named events only', () => {
    expect(newWebhook({ ...body, scope: 'global' })).toEqual(GLOBAL);
    expect(newWebhook({ ...body, scope: 'global', enabled: null, on_failed: null })).toEqual(GLOBAL);
    expect(newWebhook({ ...body, scope: 'global', enabled: false, on_failed: true })).toEqual({
      ...GLOBAL,
      enabled: false,
      events: ['on_failed', 'on_opened'],
    });
  });

  it('needs an event', () => {
    for (const on_opened of [undefined, null, false]) {
      expect(() => newWebhook({ ...body, on_opened, scope: 'global' })).toThrow(
        'at least one event must be on: on_reception, on_delivered, ',
      );
    }
  });

  it('that is global ignores any domains', () => {
    expect(newWebhook({ ...body, scope: 'global', domains: ['a.test', 'no domain'] }).domains).toEqual([]);
  });

  it('that is scoped has each domain once, in its canonical spelling', () => {
    expect(
      newWebhook({ ...body, scope: 'scoped', domains: [' B.Test.', 'a.test', 'b.test'] }).domains,
    ).toEqual(['b.test', 'a.test']);
  });

  it.each([undefined, null, []])('that is scoped needs domains, not %j', (domains) => {
    expect(() => newWebhook({ ...body, scope: 'scoped', domains })).toThrow('domains must not be empty');
  });

  it('that is scoped refuses an invalid domain name', () => {
    expect(() => newWebhook({ ...body, scope: 'scoped', domains: ['a.test', 'localhost'] })).toThrow(
      "domain 'localhost' not found in this account",
    );
  });
});

describe('an update', () => {
  it.each([{}, { name: null, url: null, scope: null, domains: null, enabled: null, on_failed: null }])(
    'of nothing changes nothing: %j',
    (body) => {
      const change = changeWebhook(SCOPED, body);
      expect(change).toEqual({
        fields: SCOPED,
        namedDomains: [],
        newDomains: [],
        turnsGlobal: false,
      });
    },
  );

  it('cannot turn the last event off, but can turn another one on with it', () => {
    expect(() => changeWebhook(GLOBAL, { on_opened: false })).toThrow('at least one event must be on');
    expect(changeWebhook(GLOBAL, { on_opened: false, on_failed: true }).fields.events).toEqual(['on_failed']);
    // created by a release that required no event
    expect(changeWebhook({ ...GLOBAL, events: [] }, { name: 'New' }).fields.name).toBe('New');
  });

  it('keeps events of a newer release, after its own in the order of the table', () => {
    const events = ['on_later' as EventFlag, 'on_opened' as const];
    const change = changeWebhook({ ...GLOBAL, events }, { on_clicked: true, on_delivered: true });
    expect(change.fields.events).toEqual(['on_delivered', 'on_opened', 'on_clicked', 'on_later']);
  });

  it('replaces the domains of a scoped webhook and returns the new ones', () => {
    const change = changeWebhook(SCOPED, { domains: ['B.test', 'c.test'] });
    expect(change.fields.domains).toEqual(['b.test', 'c.test']);
    expect(change).toMatchObject({ namedDomains: ['b.test', 'c.test'], newDomains: ['c.test'] });
  });

  it('may clear them, and matches nothing then', () => {
    expect(changeWebhook(SCOPED, { domains: [] }).fields).toEqual({ ...SCOPED, domains: [] });
  });

  it('to global clears the domains and ignores given ones', () => {
    const change = changeWebhook(SCOPED, { scope: 'global', domains: ['c.test'] });
    expect(change.fields).toEqual(GLOBAL);
    expect(change).toMatchObject({ turnsGlobal: true, namedDomains: [], newDomains: [] });
  });

  it('of a global webhook ignores domains that come without a scope', () => {
    expect(changeWebhook(GLOBAL, { domains: ['c.test'] })).toMatchObject({
      fields: GLOBAL,
      namedDomains: [],
    });
  });

  it.each([undefined, null, []])('to scoped needs domains in the same request, not %j', (domains) => {
    expect(() => changeWebhook(GLOBAL, { scope: 'scoped', domains })).toThrow('domains must not be empty');
  });

  it('to scoped with domains names them all as new', () => {
    const change = changeWebhook(GLOBAL, { scope: 'scoped', domains: ['a.test'] });
    expect(change).toMatchObject({
      fields: { scope: 'scoped', domains: ['a.test'] },
      newDomains: ['a.test'],
    });
  });
});
