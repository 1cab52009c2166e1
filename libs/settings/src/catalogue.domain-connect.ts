import { dcId, signingKey } from './domain-connect.js';
import { dnsHostApis, type DnsHostApis } from './dns-host-apis.js';
import { text } from './setting.js';

/** DNS hosts publish the records of a domain: by the operator's template of Domain Connect, or by tokens of its owner. */
export const DOMAIN_CONNECT = {
  domainConnectProviderId: dcId({
    env: 'POSTMESH_DOMAIN_CONNECT_PROVIDER_ID',
    description:
      'The id under which DNS hosts have registered your template of Domain Connect (`npx postmesh domain-connect-template`), usually your domain name. With it the console offers to publish records at these hosts.',
    default: undefined as string | undefined,
    defaultText: 'none: records are published by hand',
  }),
  domainConnectServiceId: dcId({
    env: 'POSTMESH_DOMAIN_CONNECT_SERVICE_ID',
    description: 'The id of the template.',
    default: 'mail' as string,
  }),
  domainConnectName: text({
    env: 'POSTMESH_DOMAIN_CONNECT_NAME',
    description: 'Your name, which DNS hosts show with the records.',
    default: 'Postmesh' as string,
  }),
  domainConnectKey: signingKey({
    env: 'POSTMESH_DOMAIN_CONNECT_KEY',
    description:
      'The RSA key that signs links to DNS hosts: PKCS #8 in base64, `openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -outform DER | base64 -w0`; needed with the id of the provider.',
    default: undefined,
    secret: true,
  }),
  domainConnectKeyLabel: dcId({
    env: 'POSTMESH_DOMAIN_CONNECT_KEY_LABEL',
    description:
      'The label below `POSTMESH_SERVICE_ZONE` where its public half is published. A new key has a new label.',
    default: '_dck1' as string,
  }),
  dnsHostApis: dnsHostApis({
    env: 'POSTMESH_DNS_HOST_APIS',
    description:
      'Addresses of APIs of DNS hosts in place of the public ones, for tokens that publish records: `desec=https://…` for a deSEC of your own. One in a private network is listed in `POSTMESH_OUTGOING_HTTP_ALLOW`, too.',
    default: {} as DnsHostApis,
    defaultText: 'the public ones of Cloudflare, Route 53 and deSEC',
  }),
};
