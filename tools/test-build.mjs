// @ts-check
// Before the first test of a run (vitest's globalSetup): threads run built files, so stale projects are built.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

export default function buildWhatIsStale() {
  // vitest calls it once for each group of projects
  if (process.env.POSTMESH_TEST_BUILT) return;
  const tsc = join(import.meta.dirname, '..', 'node_modules', 'typescript', 'bin', 'tsc');
  const { status } = spawnSync(process.execPath, [tsc, '-b'], { stdio: 'inherit' });
  if (status !== 0) throw new Error('the build failed');
  process.env.POSTMESH_TEST_BUILT = '1';
}
