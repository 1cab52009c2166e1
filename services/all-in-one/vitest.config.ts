import { mergeConfig } from 'vitest/config';
import shared from '../../vitest.config.js';

// The contract files share one installation, started when the first of them asks for it.
export default mergeConfig(shared, { test: { globalSetup: ['test/contract/one-installation.ts'] } });
