#!/usr/bin/env node
// npm start: installs and builds what is stale, then becomes Postmesh itself, so that a signal reaches it.
import { prepare } from './prepare.mjs';

await prepare();
await import('../services/all-in-one/dist/main.js');
