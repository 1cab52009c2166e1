import type { NavigationPlace } from '../app/command-menu';
import { w } from './words';

/** Troubles first, then the accounts and their domains, then the records. */
export const PLACES: readonly (readonly NavigationPlace[])[] = [
  [
    { to: '/', label: w.nav.doctor, icon: 'home' },
    { to: '/queues', label: w.nav.queues, icon: 'messages' },
    { to: '/egress', label: w.nav.egress, icon: 'right' },
    { to: '/webhooks', label: w.nav.webhooks, icon: 'webhooks' },
    { to: '/dead-letters', label: w.nav.deadLetters, icon: 'warning' },
    { to: '/jobs', label: w.nav.jobs, icon: 'clock' },
  ],
  [
    { to: '/accounts', label: w.nav.accounts, icon: 'audience' },
    { to: '/campaigns', label: w.nav.reviews, icon: 'campaigns' },
    { to: '/zone', label: w.nav.zone, icon: 'domains' },
  ],
  [
    { to: '/audit', label: w.nav.audit, icon: 'check' },
    { to: '/installation', label: w.nav.installation, icon: 'settings' },
  ],
];
