#!/usr/bin/env node
// npm start: installs and builds stale parts, then becomes Postmesh itself, so that a signal reaches it.
import { prepare } from './prepare.mjs';

const LOOK_MS = 1_000;

// A SIGTERM to npm ends npm and its shell, but not the shell's child: this process ends when they are gone.
if (process.env.npm_lifecycle_event !== undefined && process.platform !== 'win32') {
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, LOOK_MS);
  watch.unref();
}

await prepare();
await import('../services/all-in-one/dist/main.js');
