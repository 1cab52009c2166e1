import { runService } from '@postmesh/service-host';
import { DOMAINS_SERVICE } from './domains.definition.js';

await runService(DOMAINS_SERVICE);
