import type { SendingDomain } from '../database/entities.js';

/** From the publication of the standby key to the switch (spec 1-platform §11.7 rule 4). */
export const isRotating = ({ rotationStartedAt }: Pick<SendingDomain, 'rotationStartedAt'>): boolean =>
  rotationStartedAt !== null;
