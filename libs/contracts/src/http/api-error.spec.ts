import { expect, it } from 'vitest';
import { ApiErrors } from './api-error.js';

it('spec 1-platform §1.4 an error quotes the beginning of what a request said, however long it is', () => {
  expect(ApiErrors.notFound(`domain ${'a'.repeat(65_000)}`).message).toHaveLength(65_017);
  const { message } = ApiErrors.notFound(`domain ${'ü'.repeat(20_000_000)}`);
  expect(message).toHaveLength(65_537);
  expect(message).toMatch(/^domain ü+…$/);
});
