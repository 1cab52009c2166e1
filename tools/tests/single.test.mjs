// deploy/single without an engine and without systemd as the first process: what a machine would refuse.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { parse } from 'yaml';
import { CATALOGUE } from '../../libs/settings/dist/index.js';

const root = join(import.meta.dirname, '../..');
const single = join(root, 'deploy/single');
const folder = mkdtempSync(join(tmpdir(), 'postmesh-single-'));
after(() => rmSync(folder, { recursive: true }));
const run = (program, args, env = {}) =>
  spawnSync(program, args, { encoding: 'utf8', env: { PATH: process.env.PATH, ...env } });
const has = (program) => run('sh', ['-c', `command -v ${program}`]).status === 0;

describe('compose.yml', () => {
  const file = parse(readFileSync(join(single, 'compose.yml'), 'utf8'));
  const { services, volumes, networks } = file;
  // https://github.com/compose-spec/compose-spec/blob/main/05-services.md
  const KEYS = new Set(
    `image build init restart env_file environment sysctls cap_drop cap_add security_opt ports volumes stop_grace_period
     healthcheck depends_on profiles command`.split(/\s+/),
  );

  it('has elements of the specification alone, and names nothing that does not exist', () => {
    assert.deepEqual(Object.keys(file), ['name', 'services', 'networks', 'volumes']);
    for (const [name, service] of Object.entries(services)) {
      for (const key of Object.keys(service)) assert.ok(KEYS.has(key), `${name}: ${key}`);
      for (const other of Object.keys(service.depends_on ?? {}))
        assert.ok(services[other], `${name}: ${other}`);
      for (const volume of service.volumes ?? []) {
        const source = typeof volume === 'string' ? volume.split(':')[0] : volume.source;
        assert.ok(source.startsWith('./') || volumes[source], `${name}: ${source}`);
      }
      assert.match(service.image, /^\S+:\S+$/);
    }
    assert.ok(existsSync(join(single, services.postmesh.build.context, services.postmesh.build.dockerfile)));
  });

  it('has settings that exist, and trusts its own network alone', () => {
    const known = new Set(Object.values(CATALOGUE).map(({ env }) => env));
    const { SERVICE, ...environment } = services.postmesh.environment;
    assert.equal(SERVICE, 'all-in-one');
    for (const name of Object.keys(environment)) assert.ok(known.has(name), name);
    assert.equal(environment.POSTMESH_TRUSTED_PROXIES, networks.default.ipam.config[0].subnet);
    const inside = services.postmesh.ports.filter((port) => port.endsWith(':8081'));
    assert.deepEqual(inside, ['127.0.0.1:8081:8081']);
  });

  it('gives Caddy every variable of the Caddyfile that has no default', () => {
    const text = readFileSync(join(single, 'Caddyfile'), 'utf8');
    const needed = [...text.matchAll(/\{\$(\w+)\}/g)]
      .map(([, name]) => name)
      .filter((name) => name !== 'CADDY_OPTIONS');
    for (const name of needed) assert.ok(services.caddy.environment[name], name);
  });
});

describe('the units', () => {
  const units = readdirSync(single).filter((name) => /\.(?:service|timer)$/.test(name));

  it('have files and settings that exist', () => {
    for (const name of units) {
      const text = readFileSync(join(single, name), 'utf8');
      for (const [, path = ''] of text.matchAll(/\/opt\/postmesh\/((?:deploy|docs|services)\S+)/g))
        assert.ok(existsSync(join(root, path.replace('/dist/main.js', '/src/main.ts'))), `${name}: ${path}`);
    }
  });

  it('are accepted by systemd, and are closed', { skip: !has('systemd-analyze') }, () => {
    for (const name of units) {
      const text = readFileSync(join(single, name), 'utf8').replaceAll('/opt/postmesh', root);
      writeFileSync(join(folder, name), text);
    }
    const { status, stderr } = run('systemd-analyze', ['verify', ...units.map((name) => join(folder, name))]);
    assert.deepEqual([status, stderr], [0, '']);
    // 10 is open; most services of Debian have 9.6
    const closed = run('systemd-analyze', [
      'security',
      '--offline=true',
      '--threshold=20',
      join(folder, 'postmesh.service'),
    ]);
    assert.equal(closed.status, 0, closed.stdout);
  });
});

it('the Caddyfile is accepted by Caddy', { skip: !has('caddy') }, () => {
  const names = { POSTMESH_API_HOST: 'api.example.com', POSTMESH_SMTP_HOST: 'mx.example.com', HOME: folder };
  const { status, stderr } = run(
    'caddy',
    ['validate', '--adapter', 'caddyfile', '--config', join(single, 'Caddyfile')],
    names,
  );
  assert.equal(status, 0, stderr);
});

it('the command line runs by the Node of the checkout, whatever the system has', () => {
  const bin = join(folder, 'old');
  mkdirSync(bin);
  writeFileSync(join(bin, 'node'), '#!/bin/sh\nexit 18\n', { mode: 0o755 });
  const { status, stdout } = run(join(root, 'postmesh'), ['help'], { PATH: `${bin}:/usr/bin:/bin` });
  assert.equal(status, 0);
  assert.match(stdout, /doctor/);
});

describe('the scripts', () => {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const program = (name, body) => {
    writeFileSync(join(bin, name), `#!/bin/sh\n${body}\n`);
    chmodSync(join(bin, name), 0o755);
  };
  const PATH = `${bin}:${process.env.PATH}`;
  const log = join(folder, 'log');

  it('a backup is copied as a whole, its keys stay on the machine, and nothing is left behind', () => {
    program('rclone', `echo "$@" >> ${log}; [ "$1" != copy ] || ls "$3" >> ${log}`);
    program('backup', 'mkdir "$2"; echo database > "$2/database.tar.gz"; echo secret > "$4"');
    const env = {
      PATH,
      POSTMESH: join(bin, 'backup'),
      BACKUP_TO: 's3:b',
      BACKUP_KEYS: join(folder, 'keys'),
      TMPDIR: folder,
    };
    const { status, stdout, stderr } = run(join(single, 'backup.sh'), [], env);
    assert.equal(status, 0, stderr);
    assert.match(stdout, /^s3:b\/\d{4}-\d\d-\d\dT\d{6}Z\n$/);
    const lines = readFileSync(log, 'utf8').trim().split('\n');
    assert.match(lines[0], /^copy --immutable \S+ s3:b\/\S+Z$/);
    assert.equal(lines[1], 'database.tar.gz');
    assert.match(lines[2], /^check --one-way/);
    assert.equal(readFileSync(join(folder, 'keys'), 'utf8'), 'secret\n');
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.startsWith('backup.')),
      [],
    );
  });

  it('a backup that cannot be made copies nothing', () => {
    program('rclone', `echo copied > ${join(folder, 'never')}`);
    program('backup', 'exit 3');
    const env = {
      PATH,
      POSTMESH: join(bin, 'backup'),
      BACKUP_TO: 's3:b',
      POSTMESH_DATA_DIR: folder,
      TMPDIR: folder,
    };
    assert.equal(run(join(single, 'backup.sh'), [], env).status, 3);
    assert.equal(existsSync(join(folder, 'never')), false);
  });

  it('the certificate of SMTP is handed on when it has changed, and Postmesh restarts then alone', () => {
    const host = 'mx.example.com';
    const caddy = join(folder, 'caddy/certificates/acme', host);
    mkdirSync(caddy, { recursive: true });
    const to = join(folder, 'tls');
    const restarts = join(folder, 'restarts');
    const hand = () =>
      run(join(single, 'smtp-certificate.sh'), [
        host,
        join(folder, 'caddy'),
        run('id', ['-un']).stdout.trim(),
        to,
        'sh',
        '-c',
        `echo >> ${restarts}`,
      ]);
    assert.equal(hand().status, 1);
    for (const { text, count } of [
      { text: 'one', count: 1 },
      { text: 'one', count: 1 },
      { text: 'two', count: 2 },
    ]) {
      writeFileSync(join(caddy, `${host}.crt`), text);
      writeFileSync(join(caddy, `${host}.key`), `key of ${text}`);
      assert.equal(hand().status, 0);
      assert.equal(readFileSync(join(to, 'smtp.key'), 'utf8'), `key of ${text}`);
      assert.equal(readFileSync(restarts, 'utf8').length, count);
    }
  });
});
