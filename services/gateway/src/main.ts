import { runService } from '@postmesh/service-host';
import { GatewayListeners } from './gateway-listeners.js';
import { GATEWAY_SERVICE } from './gateway.module.js';
import { openOperatorListener } from './operator-listener.js';

await runService(GATEWAY_SERVICE, async (service, context) => {
  const closeOperator = await openOperatorListener(service, context);
  const listeners = service.get(GatewayListeners);
  await listeners.open();
  return async () => {
    await listeners.close();
    await closeOperator();
  };
});
