import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

// Limit of a run that does not end in its own time.
const GRACE_MS = 60_000;

/**
 * Runs Schemathesis.
 * @param {string} programs folder of `fuzzerPrograms`
 * @param {{file: string, baseUrl: string, secret: string, credentials?: string, env: Record<string, string>, folder: string,
 *   archive: string, seconds: string, examples: string, seed: string, operations?: string[]}} run
 *   `credentials`: a header with the secret, in place of a bearer token; `env`: variables of hooks.py and schemathesis.toml; `folder`: writable; `archive`: a HAR file of all responses
 * @returns {Promise<{code: number, said: string}>} code 0: nothing was found; `said` is empty unless `quiet`
 */
export async function runFuzzer(programs, run, { quiet = false } = {}) {
  const child = spawn(
    join(programs, 'schemathesis'),
    [
      ...['--config-file', join(import.meta.dirname, 'schemathesis.toml')],
      ...[
        'run',
        run.file,
        '--url',
        run.baseUrl,
        '--header',
        run.credentials ?? `Authorization: Bearer ${run.secret}`,
      ],
      ...['--max-examples', run.examples, '--max-time', run.seconds, '--seed', run.seed],
      ...['--request-timeout', '30', '--generation-database', 'none', '--warnings', 'off'],
      ...['--suppress-health-check', 'all', '--report-har-path', run.archive],
      ...(run.operations ?? []).flatMap((id) => ['--include-operation-id', id]),
    ],
    {
      cwd: run.folder,
      stdio: quiet ? ['ignore', 'pipe', 'inherit'] : ['ignore', 'inherit', 'inherit'],
      env: {
        ...process.env,
        SCHEMATHESIS_HOOKS: 'hooks',
        PYTHONPATH: import.meta.dirname,
        PYTHONDONTWRITEBYTECODE: '1',
        ...run.env,
      },
    },
  );
  let said = '';
  child.stdout?.on('data', (chunk) => (said += chunk.toString()));
  const timer = setTimeout(() => child.kill('SIGKILL'), Number(run.seconds) * 1_000 + GRACE_MS);
  const [code] = await once(child, 'close');
  clearTimeout(timer);
  return { code: code ?? 1, said };
}
