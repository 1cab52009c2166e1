import { runService } from '@postmesh/service-host';
import { WEBHOOKS_SERVICE } from './webhooks.definition.js';

await runService(WEBHOOKS_SERVICE);
