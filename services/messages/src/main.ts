import { runService } from '@postmesh/service-host';
import { MESSAGES_SERVICE } from './messages.definition.js';

await runService(MESSAGES_SERVICE);
