import { runService } from '@postmesh/service-host';
import { WEBHOOK_DISPATCHER_SERVICE } from './webhook-dispatcher.definition.js';

await runService(WEBHOOK_DISPATCHER_SERVICE);
