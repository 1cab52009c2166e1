import { runService } from '@postmesh/service-host';
import { ACCOUNTS_SERVICE } from './accounts.definition.js';

await runService(ACCOUNTS_SERVICE);
