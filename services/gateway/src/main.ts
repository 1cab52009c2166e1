import { runService } from '@postmesh/service-host';
import { GatewayServer } from './doors/gateway-server.js';
import { openOperatorDoor } from './doors/operator-door.js';
import { GATEWAY_SERVICE } from './gateway.definition.js';

await runService(GATEWAY_SERVICE, async (service, context) => {
  const closeOperator = await openOperatorDoor(service, context);
  const doors = service.get(GatewayServer);
  await doors.open();
  return async () => {
    await doors.close();
    await closeOperator();
  };
});
