import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { realPart } from '@postmesh/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { symfony } from '../../../../tools/real/languages.mjs';
import { allSnippets, missingOutput, scriptOf } from '../../../../tools/snippets.mjs';
import { Installation } from '../installation.js';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const PAGE_MS = 240_000;
const languages = realPart('LANGUAGES', process.env.LANGUAGES);
const go = realPart('SDK_GO', process.env.SDK_GO);
const python = realPart('SDK_PYTHON', process.env.SDK_PYTHON);
/** Folders of the programs of `run later`; undefined where the machine lacks one. */
const later =
  languages && go && python ? [python, go].filter(isAbsolute).map(dirname).concat(languages) : undefined;
const snippets = allSnippets(ROOT);
const prelude = [...snippets.values()].flat().find(({ words }) => words === 'prelude')?.text ?? '';
/** The others use what the first page has made. */
const FIRST = 'docs/start.md';
const pages = [...snippets.keys()]
  .filter((path) => snippets.get(path)?.some(({ words }) => words.startsWith('run')))
  .toSorted((one, other) => Number(other === FIRST) - Number(one === FIRST));

let installation: Installation;
let folder: string;

beforeAll(async () => {
  installation = await Installation.create();
  await installation.start();
  folder = await mkdtemp(join(tmpdir(), 'postmesh-snippets-'));
  await mkdir(join(folder, 'bin'));
  // `npx postmesh`, as in a checkout; npm itself is not asked
  await writeFile(
    join(folder, 'bin', 'npx'),
    `#!/bin/sh\nshift\nexec node "${ROOT}tools/postmesh.mjs" "$@"\n`,
    {
      mode: 0o755,
    },
  );
});
afterAll(async () => {
  await installation?.remove();
  await rm(folder, { recursive: true, force: true });
});

/** A folder as a reader has it: the checkout's command line and packages, and the data of the installation. */
async function checkoutFor(page: string): Promise<string> {
  const path = join(folder, page.replaceAll('/', '-'));
  await mkdir(path);
  await symlink(installation.dataDir, join(path, '.data'));
  await symlink(join(ROOT, 'node_modules'), join(path, 'node_modules'));
  // Composer's, made of Debian's package
  await mkdir(join(path, 'vendor'));
  await writeFile(join(path, 'vendor', 'autoload.php'), `<?php require '${symfony()}';`);
  await writeFile(join(path, 'postmesh'), `#!/bin/sh\nexec node "${ROOT}tools/postmesh.mjs" "$@"\n`, {
    mode: 0o755,
  });
  return path;
}

describe('the snippets of the documentation do what the pages say', () => {
  it.each(pages)(
    '%s',
    async (page) => {
      const fences = snippets.get(page) ?? [];
      const shell = spawn('bash', ['-c', scriptOf(fences, prelude, { hasAll: later !== undefined })], {
        cwd: await checkoutFor(page),
        env: {
          ...process.env,
          PATH: [join(folder, 'bin'), ...(later ?? []), process.env['PATH']].join(delimiter),
          GOTOOLCHAIN: 'local',
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const ended = once(shell, 'exit');
      const [printed, errors] = await Promise.all([text(shell.stdout), text(shell.stderr)]);
      const [code] = await ended;
      expect({ code, errors, printed }).toMatchObject({ code: 0 });
      expect(missingOutput(fences, printed)).toEqual([]);
    },
    PAGE_MS,
  );
});
