export * from './events/campaign-review-changed.v1.js';
