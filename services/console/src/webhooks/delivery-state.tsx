import type { ConsoleSchemas } from '../api/client';
import { Badge, type Tone } from '../ui/badge';
import { t } from '../words/words';

export type Delivery = ConsoleSchemas['EndpointDelivery'];

export const DELIVERY_TONES: Readonly<Record<Delivery['state'], Tone>> = {
  succeeded: 'good',
  dropped: 'bad',
  stopped: 'bad',
  missed: 'warn',
  'set-aside': 'warn',
  waiting: 'plain',
  in_flight: 'accent',
};

export const DeliveryState = ({ of }: { of: Delivery }) => (
  <Badge tone={of.recovered_at === null ? DELIVERY_TONES[of.state] : 'good'}>
    {of.recovered_at === null ? t.deliveries.states[of.state] : t.deliveries.recovered}
  </Badge>
);
