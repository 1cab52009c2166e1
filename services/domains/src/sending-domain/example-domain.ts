import type { SendingDomain } from './sending-domain.js';

/** A domain as it is right after its creation, for tests of rules. */
export function exampleDomain(given: Partial<SendingDomain> = {}): SendingDomain {
  const now = new Date('2026-01-05T08:00:00.000Z');
  return {
    id: '01980f3e-0000-7c11-a2d4-0c5f9e6b8a00',
    account_id: '0b6f4a52-7c1d-4e0f-8a39-61b2c7d8e9f0',
    domain: 'mail.example.com',
    created_at: now,
    updated_at: now,
    dns_mode: 'managed',
    state: 'pending',
    state_since: now,
    failures: 0,
    contested: false,
    last_dns_check_at: null,
    next_check_at: now,
    tracking_subdomain: null,
    return_path_subdomain: null,
    subscription_subdomain: null,
    media_subdomain: null,
    domain_token: 'tok3n',
    active_slot: 1,
    dkim_selector: null,
    locked_selector: null,
    dkim_rotation_interval_days: null,
    published_spf: null,
    dsn_recipient: null,
    sending_type: 'transactional',
    paused_at: null,
    pause_reason: null,
    revision: 1,
    records: {},
    public_keys: { 1: 'AAAA', 2: 'BBBB' },
    ...given,
  };
}
