// The SDKs' own tests, which need no installation. Those of Python need its packages, which the tier full has.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import '../../sdks/node/test/client.test.mjs';
import '../../sdks/node/test/nodemailer.test.mjs';
import '../../sdks/node/test/webhooks.test.mjs';

const root = join(import.meta.dirname, '../..');
const python = process.env.SDK_PYTHON ?? join(root, '.cache/sdk-python/bin/python');
const skip = existsSync(python) ? false : 'node tools/sdks.mjs has not installed its packages here';

it('the SDK of Python', { skip }, () => {
  const run = spawnSync(python, ['-m', 'unittest', 'discover', '-s', 'tests'], {
    cwd: join(root, 'sdks/python'),
    env: { ...process.env, PYTHONPATH: 'src', PYTHONDONTWRITEBYTECODE: '1' },
    encoding: 'utf8',
  });
  if (run.status !== 0) throw new Error(run.stderr);
});
