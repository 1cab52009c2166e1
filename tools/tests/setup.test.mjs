// npx postmesh setup: questions, file, checks.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setUp } from '../operator-cli/setup-command.mjs';

const folder = mkdtempSync(join(tmpdir(), 'postmesh-setup-'));
after(() => rmSync(folder, { recursive: true }));
let files = 0;
const fresh = () => join(folder, `settings-${(files += 1)}.env`);

/** No network: a resolver that is not there, and no check of port 25. The sending address is a public one, and gets nothing. */
const REST = join(folder, 'rest.env');
before(() =>
  writeFileSync(REST, '# of the test\nPOSTMESH_EGRESS_CHECK_HOST=off\nPOSTMESH_DNS_SERVERS=127.0.0.1:9\n'),
);
const GIVEN = { zone: 'mail.example.com', addresses: '9.9.9.10', answers: REST };
const valuesIn = (file) =>
  Object.fromEntries(
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line.includes('=') && !line.startsWith('#'))
      .map((line) => line.split(/=(.*)/).slice(0, 2)),
  );

describe('npx postmesh setup', () => {
  it('writes a file for its owner alone, with secrets of its own and the defaults of the zone', async () => {
    const [one, two] = [fresh(), fresh()];
    for (const out of [one, two]) await setUp({ ...GIVEN, out, 'no-checks': true });
    assert.equal(statSync(one).mode & 0o777, 0o600);
    const values = valuesIn(one);
    assert.deepEqual(
      { ...values, POSTMESH_SECRET_KEYS: '', POSTMESH_OPERATOR_TOKEN: '' },
      {
        POSTMESH_SERVICE_ZONE: 'mail.example.com',
        POSTMESH_SENDING_ADDRESSES: '9.9.9.10',
        POSTMESH_EHLO_NAME: 'mta.mail.example.com',
        POSTMESH_BASE_URL: 'https://api.mail.example.com',
        POSTMESH_DNS_SERVERS: '127.0.0.1:9',
        POSTMESH_EGRESS_CHECK_HOST: 'off',
        POSTMESH_TRUSTED_PROXIES: '127.0.0.1/32,::1/128',
        POSTMESH_LOCAL_INTERNET: 'off',
        POSTMESH_SECRET_KEYS: '',
        POSTMESH_OPERATOR_TOKEN: '',
      },
    );
    assert.match(values.POSTMESH_SECRET_KEYS, /^[0-9a-f]{64}$/);
    assert.notEqual(values.POSTMESH_SECRET_KEYS, valuesIn(two).POSTMESH_SECRET_KEYS);
  });

  it('asks for what is not given, and for nothing twice', async () => {
    const out = fresh();
    const asked = [];
    const terminal = {
      ask: async (text) => {
        asked.push(/(\w+) \([^)]*\): $/.exec(text)?.[1]);
        return text.includes('POSTMESH_BASE_URL') ? ' https://post.example.com ' : '';
      },
      close: () => asked.push('closed'),
    };
    await setUp({ ...GIVEN, out, 'no-checks': true }, terminal);
    assert.deepEqual(asked, [
      'POSTMESH_EHLO_NAME',
      'POSTMESH_BASE_URL',
      'DATABASE_URL',
      'POSTMESH_SMTP_TLS_CERT_FILE',
      'POSTMESH_SMTP_TLS_KEY_FILE',
      'POSTMESH_TRUSTED_PROXIES',
      'closed',
    ]);
    assert.equal(valuesIn(out).POSTMESH_BASE_URL, 'https://post.example.com');
  });

  it('keeps secrets and other settings of a file that exists, and replaces none without --update', async () => {
    const out = fresh();
    await setUp({ ...GIVEN, out, 'no-checks': true });
    const before = valuesIn(out);
    await assert.rejects(setUp({ ...GIVEN, out }), /exists: --update keeps its secrets/);
    await setUp({ out, update: true, ehlo: 'out.example.com', 'no-checks': true });
    assert.deepEqual(valuesIn(out), { ...before, POSTMESH_EHLO_NAME: 'out.example.com' });
    assert.equal(statSync(out).mode & 0o777, 0o600);
  });

  for (const [
    what,
    given,
    expected,
  ] of /** @type {[string, Record<string, string | undefined>, RegExp][]} */ ([
    ['no zone', { zone: undefined }, /^--zone is needed/],
    [
      'a zone that no resolver finds',
      { zone: 'mail.test' },
      /nothing is written: .*\n.*POSTMESH_SERVICE_ZONE/,
    ],
    ['a private address', { addresses: '10.0.0.1' }, /nothing is written: .*\n.*POSTMESH_SENDING_ADDRESSES/],
    ['a value with a line break', { ehlo: 'a\nB=c' }, /POSTMESH_EHLO_NAME has spaces, quotes/],
    ['no address of the API', { 'base-url': 'nonsense' }, /nothing is written: .*\n.*POSTMESH_BASE_URL/],
    ['answers that are no settings', { answers: import.meta.filename }, /every line is SETTING=value/],
  ]))
    it(`writes nothing with ${what}`, async () => {
      const out = fresh();
      await assert.rejects(setUp({ ...GIVEN, ...given, out }), { message: expected });
      assert.throws(() => statSync(out), /ENOENT/);
    });

  it('says what is missing, with the checks of doctor, and fails', () => {
    const out = fresh();
    const program = join(import.meta.dirname, '..', 'postmesh.mjs');
    const words = [
      'setup',
      '--zone',
      GIVEN.zone,
      '--addresses',
      GIVEN.addresses,
      '--answers',
      REST,
      '--out',
      out,
    ];
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...words], {
      encoding: 'utf8',
      input: '',
    });
    assert.equal(status, 1, stderr);
    assert.match(stdout, /^NO +the PTR record of 9\.9\.9\.10 is mta\.mail\.example\.com/m);
    assert.match(
      stdout,
      /^NO +spf\.mail\.example\.com TXT .*publish spf\.mail\.example\.com TXT v=spf1 ip4:9\.9\.9\.10 -all$/m,
    );
    assert.match(stdout, /^NO +mx\.mail\.example\.com A .*publish mx\.mail\.example\.com A 9\.9\.9\.10$/m);
    assert.match(stdout, /^NO +SMTP has a certificate/m);
    assert.doesNotMatch(stdout, new RegExp(valuesIn(out).POSTMESH_SECRET_KEYS));
  });
});
