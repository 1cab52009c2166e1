import { runService } from '@postmesh/service-host';
import { MARKETING_SERVICE } from './marketing.definition.js';

await runService(MARKETING_SERVICE);
