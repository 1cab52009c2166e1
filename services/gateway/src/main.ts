import { runService } from '@postmesh/service-host';
import { GatewayServer } from './doors/gateway-server.js';
import { GATEWAY_SERVICE } from './gateway.definition.js';

await runService(GATEWAY_SERVICE, async (service) => {
  const doors = service.get(GatewayServer);
  await doors.open();
  return () => doors.close();
});
