export * from './events/webhook-delivery-attempted.v1.js';
