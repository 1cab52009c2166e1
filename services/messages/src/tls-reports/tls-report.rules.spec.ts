import { expect, it } from 'vitest';
import { readDestinations } from './tls-report.rules.js';

it.each([
  [['v=TLSRPTv1; rua=mailto:tls@mail.test'], ['mailto:tls@mail.test']],
  [
    ['other', 'v=TLSRPTv1;rua = https://r.mail.test/v1 , mailto:tls%2Bx@mail.test ;'],
    ['https://r.mail.test/v1', 'mailto:tls%2Bx@mail.test'],
  ],
  [['v=TLSRPTv1; rua=mailto:a@b.test,mailto:a@b.test'], ['mailto:a@b.test']],
  [
    [`v=TLSRPTv1; rua=${[1, 2, 3, 4, 5].map((nth) => `mailto:${nth}@b.test`).join()}`],
    [1, 2, 3, 4].map((nth) => `mailto:${nth}@b.test`),
  ],
  // neither a mailbox nor https
  [
    ['v=TLSRPTv1; rua=http://b.test/,ftp:x,mailto:nobody,mailto:%,https://,mailto:a@b.test'],
    ['mailto:a@b.test'],
  ],
  [['v=TLSRPTv1; rua=mailto:a@b.test', 'v=TLSRPTv1; rua=mailto:c@d.test'], []],
  [['v=TLSRPTv10; rua=mailto:a@b.test'], []],
  [['v=TLSRPTv1'], []],
  [[], []],
])('reports of %j go to %j', (records, destinations) => {
  expect(readDestinations(records)).toEqual(destinations);
});
