/** `DomainFacts` of a domain that may send, as in a response of the domains service. */
export const DOMAIN = {
  domain_id: '01980f3e-0000-7c11-a2d4-0c5f9e6b8a00',
  account_id: '0b6f4a52-7c1d-4e0f-8a39-61b2c7d8e9f0',
  domain: 'shop.test',
  dns_valid: true,
  paused: false,
  deleted: false,
  sending_type: 'transactional',
  return_path_host: 'rp.shop.test',
  tracking_host: null,
  revision: 1,
};
