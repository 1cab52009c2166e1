export { Pepper } from './pepper.js';
export { randomText } from './random-text.js';
export { SecretBox } from './secret-box.js';
