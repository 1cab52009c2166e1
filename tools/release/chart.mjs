// @ts-check
// The chart as a package, as `helm package` makes it: a folder with the name of the chart in a compressed archive. The same
// commit gives the same bytes: files are sorted, their times are the commit's, and they have no owner.
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { git } from './changes.mjs';
import { versionOf } from './versions.mjs';

const STEP_MS = 60_000;

/** @param {string} root @param {string} out a folder @returns {string} the path of the package. @throws Error when tar fails */
export function packageChart(root, out) {
  mkdirSync(out, { recursive: true });
  const file = join(out, `postmesh-${versionOf(root)}.tgz`);
  const time = git(root, 'log', '-1', '--format=%ct').trim();
  const same = [
    '--sort=name',
    `--mtime=@${time}`,
    '--owner=0',
    '--group=0',
    '--numeric-owner',
    '--mode=u=rwX,go=rX',
  ];
  const args = [
    ...same,
    '--use-compress-program=gzip -n',
    '-cf',
    file,
    '-C',
    join(root, 'deploy/helm'),
    'postmesh',
  ];
  const done = spawnSync('tar', args, { encoding: 'utf8', timeout: STEP_MS });
  if (done.status !== 0) throw new Error(`tar: ${done.error?.message ?? done.stderr}`);
  return file;
}
